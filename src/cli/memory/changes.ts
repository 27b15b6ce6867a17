// `holdfast memory supersede|merge|forget|restore|withheld`: what a person does about facts that no longer hold.
import type { Command } from 'commander';
import type { Api } from '../../features/api.ts';
import type { Fact } from '../../features/memory/fact.ts';
import { HubError } from '../../kernel/errors.ts';
import type { HubCommand, Client } from '../client.ts';
import { confirm } from '../terminal/confirm.ts';
import { contentFrom } from '../terminal/content.ts';
import { wholeFactId } from './id.ts';
import { type Options, textOf, textsOf } from '../options.ts';
import { idEnding, shortId } from '../short-id.ts';
import { listPrinter } from '../terminal/list.ts';
import { printable } from '../terminal/table.ts';
import { localTime } from '../terminal/when.ts';

type Run = (options: Options, command: (asked: HubCommand) => Promise<void>) => Promise<void>;

export function addChanges(add: (name: string, description: string) => Command, run: Run): void {
  add(
    'supersede <id> [content...]',
    'replace a fact that no longer holds; content is read from standard input when it is not given',
  )
    .option('--by <id>', 'by this fact, which is saved already')
    .option('--title <title>', 'another title')
    .option('--tag <tag...>', 'other tags')
    .action((id: string, words: string[], options: Options) =>
      run(options, (asked) => supersede(asked, id, words)),
    );
  add('merge <id...>', 'put one fact in the place of several; they stay for questions about the past')
    .option('--title <title>', 'its title; that of the newest unless given')
    .option('--content <text>', 'its text; all of theirs, the newest first, unless given')
    .action((ids: string[], options: Options) => run(options, (asked) => merge(asked, ids)));
  add('forget <id>', 'remove a fact and its earlier versions; for a day it can be taken back')
    .option('--now', 'for good at once')
    .option('--yes', 'without asking')
    .action((id: string, options: Options) => run(options, (asked) => forget(asked, id)));
  add('restore <id>', 'take back a forgetting of the last day').action((id: string, options: Options) =>
    run(options, (asked) => restore(asked, id)),
  );
  add('withheld', 'what was forgotten and can still be taken back, by its id').action((options: Options) =>
    run(options, listWithheld),
  );
}

async function supersede(
  { world, client, options }: HubCommand,
  id: string,
  words: readonly string[],
): Promise<void> {
  const whole = await wholeFactId(client, id);
  const by = textOf(options, 'by');
  const answer = await client.ask('POST /api/memory/facts/:id/supersede', {
    id: whole,
    source: 'cli',
    ...(by === undefined
      ? {
          content: await contentFrom(world, words),
          title: textOf(options, 'title'),
          tags: textsOf(options, 'tag'),
        }
      : await sayingOf(client, by)),
  });
  world.print(
    options['json']
      ? JSON.stringify(answer)
      : `saved ${shortId(answer.fact.id)} in the place of ${shortId(answer.superseded.id)}`,
  );
}

/** The same words in the same scope are the same fact: it takes the place of the other. */
async function sayingOf(client: Client, given: string): Promise<Pick<Fact, 'content' | 'title' | 'tags'>> {
  const id = await wholeFactId(client, given);
  const { content, title, tags } = await client.ask('GET /api/memory/facts/:id', { id });
  return { content, title, tags };
}

async function merge({ world, client, options }: HubCommand, given: readonly string[]): Promise<void> {
  const facts: Fact[] = [];
  for (const id of given)
    facts.push(await client.ask('GET /api/memory/facts/:id', { id: await wholeFactId(client, id) }));
  facts.sort((a, b) => b.createdAt - a.createdAt);
  const [newest, ...others] = facts;
  if (!newest || others.length === 0)
    throw new HubError('invalid', 'A merge takes at least two facts.', {
      hint: 'Name the ids of all of them.',
    });
  const answer = await client.ask('POST /api/memory/facts/:id/merge', {
    id: newest.id,
    with: others.map(({ id }) => id),
    content: textOf(options, 'content') ?? [...new Set(facts.map((fact) => fact.content))].join('\n\n'),
    title: textOf(options, 'title'),
  });
  world.print(
    options['json']
      ? JSON.stringify(answer)
      : `saved ${shortId(answer.fact.id)} in the place of ${facts.length} facts`,
  );
}

async function forget({ world, client, options }: HubCommand, given: string): Promise<void> {
  const isNow = options['now'] === true;
  // What was forgotten already may be made final.
  const id = (isNow ? await withheldId(client, given) : undefined) ?? (await wholeFactId(client, given));
  // Whoever is not at a terminal cannot be asked, and can take it back for a day.
  const isWatched = world.columns !== undefined && options['json'] !== true;
  if (isWatched && options['yes'] !== true) {
    const fact = await client.ask('GET /api/memory/facts/:id', { id }).catch(() => ({ title: id }));
    const when = isNow ? 'for good' : 'it can be taken back for a day';
    if (!(await confirm(world, `Forget “${printable(fact.title)}”, ${when}?`, { isRisky: isNow })))
      return world.tell('Nothing was changed.');
  }
  const answer = await client.ask('DELETE /api/memory/facts/:id?now', { id, now: isNow || undefined });
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(`forgotten: ${answer.forgotten.map(shortId).join(', ')}`);
  if (answer.until !== undefined)
    world.tell(`Until ${localTime(answer.until)}: holdfast memory restore ${shortId(id)}`);
}

/** What was forgotten in the last day is in no other list. */
async function withheldId(client: Client, given: string): Promise<string | undefined> {
  const { withheld } = await client.ask('GET /api/memory/withheld');
  const ids = withheld.map(({ id }) => id);
  const whole = idEnding(ids, given, 'forgotten facts');
  return ids.includes(whole) ? whole : undefined;
}

async function restore({ world, client, options }: HubCommand, given: string): Promise<void> {
  const id = (await withheldId(client, given)) ?? given;
  const answer = await client.ask('POST /api/memory/withheld/:id/restore', { id });
  world.print(
    options['json'] ? JSON.stringify(answer) : `restored: ${answer.restored.map(shortId).join(', ')}`,
  );
}

type Note = Api['GET /api/memory/withheld']['answer']['withheld'][number];

async function listWithheld({ world, client, options }: HubCommand): Promise<void> {
  const answer = await client.ask('GET /api/memory/withheld');
  printForgotten(world, options, answer);
}

const printForgotten = listPrinter<Note>('Nothing was forgotten in the last day.', [
  { title: 'FORGOTTEN', cell: ({ at }) => localTime(at) },
  { title: 'GONE AT', cell: ({ until }) => localTime(until) },
  { title: 'KIND', cell: ({ kind }) => kind },
  { title: 'ID', cell: ({ id }) => id },
]);
