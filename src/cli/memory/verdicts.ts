// `holdfast memory confirm|refute|check`: whether what is remembered still holds.
import { isAbsolute } from 'node:path';
import type { Command } from 'commander';
import type { Api } from '../../features/api.ts';
import type { Cite } from '../../features/memory/cites/cite.ts';
import type { HubCommand } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { wholeFactId } from './id.ts';
import type { Options } from '../options.ts';
import { readProjectOf, withTeam } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable, renderTable } from '../terminal/table.ts';
import type { World } from '../world.ts';

type Run = (options: Options, command: (asked: HubCommand) => Promise<void>) => Promise<void>;

export function addVerdicts(add: (name: string, description: string) => Command, run: Run): void {
  add('confirm <id>', 'say that a fact still holds; what it cites is taken anew from this folder').action(
    (id: string, options: Options) => run(options, (asked) => confirm(asked, id)),
  );
  add('refute <id> <reason...>', 'say that a fact is wrong, and why; whoever was given it is told').action(
    (id: string, words: string[], options: Options) =>
      run(options, (asked) => refute(asked, id, words.join(' '))),
  );
  withTeam(
    add('check', 'look up all code that memory cites; exits with 1 when some has changed or is gone'),
  ).action((options: Options) => run(options, check));
}

/** The folder in which citations are looked up, where there is one. */
export function citedIn({ cwd }: World): Readonly<{ folder?: string }> {
  return isAbsolute(cwd) ? { folder: cwd } : {};
}

/** `src/app.ts:40-52 moved to src/listen.ts:7-12` */
export function describeCite({ path, from, to, state, now }: Cite): string {
  const at = (place: Readonly<{ path: string; from: number; to: number }>): string =>
    `${place.path}:${place.from}${place.to === place.from ? '' : `-${place.to}`}`;
  return printable(
    `${at({ path, from, to })} ${state}${now ? `${state === 'moved' ? ' to' : ', now'} ${at(now)}` : ''}`,
  );
}

/** What this person was given before and has been refuted since: said once, whatever of memory is asked. */
export async function tellRefuted({ world, client, options }: HubCommand): Promise<void> {
  if (options['json'] === true) return;
  const { refuted } = await client.ask('GET /api/memory/refuted', {});
  for (const { text } of refuted) world.tell(printable(text));
}

async function confirm({ world, client, options }: HubCommand, given: string): Promise<void> {
  const id = await wholeFactId(client, given);
  const answer = await client.ask('POST /api/memory/facts/:id/confirm', { id, ...citedIn(world) });
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(`confirmed ${shortId(id)} by ${printable(answer.confirmed.by)}`);
  for (const cite of answer.cites ?? []) world.print(`  ${describeCite(cite)}`);
}

async function refute({ world, client, options }: HubCommand, given: string, reason: string): Promise<void> {
  const id = await wholeFactId(client, given);
  const answer = await client.ask('POST /api/memory/facts/:id/refute', { id, reason });
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(
    `refuted ${shortId(id)}; ${answer.told} ${answer.told === 1 ? 'reader hears' : 'readers hear'} of it`,
  );
  for (const copy of answer.copies ?? [])
    world.tell(
      `The same stands ${copy.scopeTeamId === null ? 'for everybody' : `for ${printable(copy.scopeTeamId)}`}: holdfast memory refute ${shortId(copy.id)} …`,
    );
}

type Checked = Api['GET /api/memory/check']['answer']['checked'][number];
type Row = Readonly<{ item: Checked; cite: Cite }>;

async function check({ world, client, options }: HubCommand): Promise<void> {
  const team = await readProjectOf(client, options, world);
  const checked: Checked[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Api['GET /api/memory/check']['answer'] = await client.ask('GET /api/memory/check', {
      after,
      scopeTeamId: team,
      ...citedIn(world),
    });
    checked.push(...page.checked);
    after = page.next;
  }
  const rows: Row[] = checked.flatMap((item) => item.cites.map((cite) => ({ item, cite })));
  const count = (state: Cite['state']): number => rows.filter(({ cite }) => cite.state === state).length;
  const states = {
    fresh: count('fresh'),
    moved: count('moved'),
    changed: count('changed'),
    gone: count('gone'),
    unknown: count('unknown'),
  };
  if (options['json']) world.print(JSON.stringify({ ...states, checked }));
  else show(world, rows, states);
  if (states.changed + states.gone > 0) throw new QuietExit(1);
}

function show(world: World, rows: readonly Row[], states: Readonly<Record<Cite['state'], number>>): void {
  const shown = rows.filter(({ cite }) => cite.state !== 'fresh');
  const columns = [
    { title: 'STATE', cell: ({ cite }: Row) => cite.state },
    { title: 'ID', cell: ({ item }: Row) => shortId(item.id) },
    { title: 'TITLE', cell: ({ item }: Row) => item.title, flexible: true },
    { title: 'CITES', cell: ({ cite }: Row) => describeCite(cite), flexible: true },
  ];
  if (shown.length > 0) world.print(renderTable(columns, shown, world.columns));
  const said = Object.entries(states).filter(([, many]) => many > 0);
  world.tell(
    rows.length === 0
      ? 'Nothing that is remembered cites code.'
      : `${rows.length} cited: ${said.map(([state, many]) => `${many} ${state}`).join(', ')}`,
  );
}
