// `holdfast memory proposals|accept|reject`: what sessions seem to teach. Nothing of it is saved unasked.
import type { Command } from 'commander';
import type { Proposal } from '../../features/sessions/lessons/proposal.ts';
import { HubError } from '../../kernel/errors.ts';
import type { HubCommand } from '../client.ts';
import { inEditor } from '../terminal/editor.ts';
import { type Options, textOf } from '../options.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { wholeNumber } from '../whole-number.ts';

type Run = (options: Options, command: (asked: HubCommand) => Promise<void>) => Promise<void>;

export function addProposals(add: (name: string, description: string) => Command, run: Run): void {
  add('proposals', 'moments of your sessions that look like lessons, newest first; nothing is saved unasked')
    .option('--project <id>', 'only of this project')
    .option('--limit <n>', 'at most so many, 1 to 200', '50')
    .action((options: Options) => run(options, list));
  add('accept <id>', 'save a proposal as a fact of its project')
    .option('--text <text>', 'in these words')
    .option('--title <title>', 'under this title')
    .option('-e, --edit', 'write title and text in $EDITOR first')
    .action((id: string, options: Options) => run(options, (asked) => accept(asked, id)));
  add('reject <id...>', 'do not remember it, and do not offer it again').action(
    (ids: string[], options: Options) => run(options, (asked) => reject(asked, ids)),
  );
}

async function list({ world, client, options }: HubCommand): Promise<void> {
  const answer = await client.ask('GET /api/memory/proposals', {
    project: textOf(options, 'project'),
    limit: wholeNumber('--limit', options['limit']),
  });
  if (options['json']) return world.print(JSON.stringify(answer));
  if (answer.proposals.length === 0)
    return world.tell(
      'Nothing is offered. Proposals come from sessions, where those are read (`holdfast setup`).',
    );
  world.print(answer.proposals.map(linesOf).join('\n\n'));
  world.tell('holdfast memory accept ID, or reject ID');
}

const SAYS: Readonly<Record<Proposal['kind'], string>> = {
  told: 'you said so',
  corrected: 'you corrected an agent',
  solved: 'an error met twice, and solved',
  worked: 'a command that worked in the end',
};

function linesOf({ id, kind, title, text, client, project, sessionId, turn }: Proposal): string {
  const where = `${client}${project === null ? '' : `, ${project}`}, session ${shortId(sessionId)} turn ${turn}`;
  const words = printable(text) === printable(title) ? [] : [`  ${printable(text)}`];
  return [`${shortId(id)}  ${printable(title)}`, ...words, `  ${SAYS[kind]} (${printable(where)})`].join(
    '\n',
  );
}

async function accept(asked: HubCommand, id: string): Promise<void> {
  const { world, options, client } = asked;
  const given = { title: textOf(options, 'title'), text: textOf(options, 'text') };
  const save = async (words: typeof given): Promise<void> => {
    const answer = await client.ask('POST /api/memory/proposals/:id/accept', { id, ...words });
    world.print(options['json'] ? JSON.stringify(answer) : `saved ${shortId(answer.factId)}`);
  };
  if (options['edit'] !== true) return save(given);
  const { title, text } = { ...(await find(asked, id)), ...onlySaid(given) };
  return inEditor(world, { name: 'lesson.md', text: `# ${title}\n\n${text}\n` }, (written) => {
    const [, heading = '', body = ''] = /^#?\s*([^\n]*)\n([\s\S]*)$/.exec(written.trim()) ?? [];
    if (heading.trim() === '' || body.trim() === '')
      throw new HubError('invalid', 'A lesson has a title in its first line and a text below it.');
    return save({ title: heading.trim(), text: body.trim() });
  });
}

function onlySaid<T extends object>(given: T): Partial<T> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<T>;
}

async function find({ client }: HubCommand, id: string): Promise<Proposal> {
  const { proposals } = await client.ask('GET /api/memory/proposals', { limit: 200 });
  const found = proposals.filter((each) => each.id === id || (id.length >= 4 && each.id.endsWith(id)));
  if (found.length === 1) return found[0]!;
  throw new HubError('not_found', `There is ${found.length === 0 ? 'no' : 'more than one'} proposal ${id}.`);
}

async function reject({ world, client, options }: HubCommand, ids: readonly string[]): Promise<void> {
  const rejected: string[] = [];
  for (const id of ids)
    rejected.push((await client.ask('POST /api/memory/proposals/:id/reject', { id })).rejected);
  if (options['json']) return world.print(JSON.stringify({ rejected }));
  world.print(`rejected ${rejected.map(shortId).join(', ')}; it is not offered again`);
}
