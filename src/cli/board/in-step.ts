// `holdfast board sync`: a board that travels in git. What becomes of each line is decided by the hub.
import type { Api } from '../../features/api.ts';
import { batchesOf } from '../../kernel/json-lines.ts';
import { withGit } from '../../kernel/git/git.ts';
import { newId } from '../../kernel/ids.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Client, withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { configFrom, type Options } from '../options.ts';
import { projectOf } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { foldLines, inOrder, readTravel, travelPlace, type TravelPlace, writeTravel } from './travel-file.ts';
import { TRAVEL_FILE } from './travel-name.ts';
import { ago } from '../terminal/when.ts';
import type { World } from '../world.ts';

type Report = Api['POST /api/board/sync']['answer'];

/** Reads the file, tells the hub, and writes it anew. */
export async function sync(world: World, options: Options): Promise<void> {
  const { home } = await configFrom(world, { database: options['database'] });
  const at = await travelPlace(world.cwd, home);
  const { person, isIgnored } = await gitSays(at);
  const before = readTravel(at);
  const isTrial = options['dryRun'] === true;
  await withClient(world, options, async (client) => {
    const teamId = await projectOf(client, options, world.cwd);
    if (teamId === undefined) throw new HubError('invalid', 'This folder belongs to no project.');
    const asked = {
      teamId,
      person,
      trust: options['trust'] === true,
      again: options['again'] === true,
      from: TRAVEL_FILE,
      dryRun: isTrial,
    };
    const report = await send(client, asked, inOrder(before));
    const lines = await linesFor(client, asked);
    for (const id of report.left) lines.push([id, foldLines(before.byId.get(id)!, Date.now())]);
    lines.sort(([a], [b]) => (a < b ? -1 : 1));
    const isWritten =
      !isTrial &&
      writeTravel(
        at,
        before,
        lines.map(([, line]) => line),
      );
    const tasks = lines.length;
    if (options['json'])
      world.print(
        JSON.stringify({
          ...report,
          file: at.file,
          tasks,
          written: isWritten,
          broken: before.broken.map(({ number, problem }) => ({ line: number, problem })),
        }),
      );
    else
      tell(world, {
        report,
        tasks,
        isWritten,
        isTrial,
        isTrusted: asked.trust,
        isFirst: isWritten && before.text === undefined,
      });
    for (const { number, problem } of before.broken)
      world.tell(`${TRAVEL_FILE}:${number}: ${problem}. It stays as it is until you mend it.`);
    if (before.markers > 0 && !isTrial)
      world.tell(
        `A merge was left open in ${TRAVEL_FILE}: the lines of both sides were taken, and it is closed.`,
      );
    if (isIgnored) world.tell(`git ignores ${TRAVEL_FILE}: it will not travel until that is changed.`);
    if (before.broken.length > 0) throw new QuietExit(1);
  });
}

/** Who the person is in this repository, and whether git would take the file along. */
async function gitSays({ place, top }: TravelPlace) {
  return withGit({ place, files: top }, async ({ settings, ask }) => ({
    person: plainName(settings.name),
    isIgnored: (await ask('check-ignore', '-q', '--no-index', TRAVEL_FILE)).code === 0,
  }));
}

function plainName(name: string | undefined): string | undefined {
  const plain = (name ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
  return plain === '' ? undefined : plain;
}

type Asked = Omit<Api['POST /api/board/sync']['given'], 'lines' | 'sync' | 'more'>;

async function send({ ask }: Client, asked: Asked, groups: readonly string[][]): Promise<Report> {
  const sync = newId();
  const all: Report = {
    created: 0,
    changed: 0,
    dropped: 0,
    aside: 0,
    overruled: [],
    kept: [],
    left: [],
    problems: [],
  };
  const take = async (lines: string[], more: boolean) => {
    const { created, changed, dropped, aside, ...told } = await ask('POST /api/board/sync', {
      ...asked,
      lines,
      sync,
      more,
    });
    all.created += created;
    all.changed += changed;
    all.dropped += dropped;
    all.aside += aside;
    all.overruled.push(...told.overruled);
    all.kept.push(...told.kept);
    all.left.push(...told.left);
    all.problems.push(...told.problems);
  };
  for await (const batch of batchesOf(groups)) await take(batch.flat(), true);
  await take([], false);
  return all;
}

async function linesFor({ ask }: Client, { teamId, person }: Asked): Promise<[id: string, line: string][]> {
  const all: [string, string][] = [];
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { lines, nextAfter } = await ask('GET /api/board/sync', { teamId, person, after });
    for (const line of lines) all.push([(JSON.parse(line) as { id: string }).id, line]);
    after = nextAfter;
  }
  return all;
}

type Told = Readonly<{
  report: Report;
  tasks: number;
  isWritten: boolean;
  isTrial: boolean;
  isTrusted: boolean;
  isFirst: boolean;
}>;

function tell(world: World, told: Told): void {
  for (const line of [boardLine(told), fileLine(told)]) if (line !== undefined) world.print(line);
  const { overruled, kept, aside } = told.report;
  if (aside > 0)
    world.print(
      `${aside} ${aside === 1 ? 'task of the file stays' : 'tasks of the file stay'} off this board, since you took the sync back; --again takes them.`,
    );
  const now = Date.now();
  for (const { id, title, field, lost, won } of overruled)
    world.print(
      printable(
        `  overruled ${shortId(id)} ${title}: ${field} ${said(lost, now)} gave way to ${said(won, now)}`,
      ),
    );
  for (const { id, title, field, why } of kept)
    world.print(printable(`  not followed ${shortId(id)} ${title}: ${field}, since ${why}`));
}

function boardLine({ report, isTrial, isTrusted }: Told): string | undefined {
  const { created, changed, dropped } = report;
  const foreign = isTrusted ? '' : ' (labelled foreign; the open ones wait in backlog)';
  const parts = [
    ...(created > 0 ? [`${created} new${foreign}`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
    ...(dropped > 0 ? [`${dropped} dropped`] : []),
  ];
  return parts.length === 0
    ? undefined
    : `On the board${isTrial ? ' there would be' : ''}: ${parts.join(', ')}.`;
}

function fileLine({ report, tasks, isWritten, isTrial, isFirst }: Told): string {
  const count = `${tasks} ${tasks === 1 ? 'task' : 'tasks'}`;
  if (isTrial) return 'Nothing was changed.';
  if (isFirst) return `Wrote ${TRAVEL_FILE}: ${count}. Commit .holdfast, and it travels with the repository.`;
  if (isWritten) return `Wrote ${TRAVEL_FILE}: ${count}.`;
  return report.created + report.changed + report.dropped === 0
    ? `The board and ${TRAVEL_FILE} agree: ${count}.`
    : `${TRAVEL_FILE} stays as it is: ${count}.`;
}

function said([value, at, by]: readonly [unknown, number, string], now: number): string {
  const text = JSON.stringify(value) ?? 'null';
  return `${text.length > 60 ? `${text.slice(0, 59)}…` : text} (${by}, ${ago(Math.max(0, now - at))} ago)`;
}
