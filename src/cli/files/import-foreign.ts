// Tasks of another tool: read, planned, then shown or added to the board.
import { readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { readBeads } from '../../features/board/imports/beads.ts';
import { readChecklist } from '../../features/board/imports/checklist.ts';
import type { ForeignReader } from '../../features/board/imports/foreign.ts';
import { readGithub } from '../../features/board/imports/github.ts';
import { type ImportPlan, planImport } from '../../features/board/imports/plan.ts';
import { readTable } from '../../features/board/imports/table.ts';
import { readTaskmaster } from '../../features/board/imports/taskmaster.ts';
import { readVibeKanban } from '../../features/board/imports/vibe-kanban.ts';
import { repositoryAround } from '../../kernel/git/place.ts';
import { nameBelow } from '../../kernel/workspace.ts';
import { importLines } from '../board/files.ts';
import { type Client, type HubCommand, withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import type { Format } from './import-format.ts';
import type { Options } from '../options.ts';
import { projectOf, readProjectOf } from '../project-of.ts';
import { jsonLine } from '../terminal/screen.ts';
import { printable } from '../terminal/table.ts';
import type { World } from '../world.ts';

type Foreign = Exclude<Format, 'hub' | 'board' | 'notes'>;

const READERS: Readonly<Record<Foreign, ForeignReader>> = {
  checklist: readChecklist,
  csv: readTable,
  beads: readBeads,
  taskmaster: readTaskmaster,
  github: readGithub,
  'vibe-kanban': readVibeKanban,
};

const TOLD = 20;

/** Tasks of another tool: shown first with `--dry-run`, else added to the board; what was added before is known by its id. */
export async function importForeign(
  world: World,
  { file, format }: Readonly<{ file: string; format: Foreign }>,
  options: Options,
): Promise<void> {
  const bytes = file === '-' ? await buffer(world.stdin) : readFileSync(file);
  const name = nameIn(world, file);
  const read = await READERS[format](bytes, name);
  const isTrial = options['dryRun'] === true;
  const { database, team } = options;
  await withClient(world, { database }, async (client) => {
    const target = await teamFor(world, client, { team, isTrial });
    const plan = planImport(read, { format, team: target, now: Date.now() });
    if (isTrial) return showPlan(world, plan, options);
    report(world, options, { plan, taken: await carryOut({ world, client, options }, plan, name) });
  });
}

/** A file as its repository calls it, so that the same one is the same from every folder. */
function nameIn({ cwd }: World, file: string): string {
  if (file === '-') return 'input';
  const whole = resolve(cwd, file);
  const top = repositoryAround(dirname(whole));
  return top === undefined ? basename(whole) : nameBelow(top, whole);
}

/** What comes from elsewhere may bring its own team along. */
function teamFor(
  world: World,
  client: Client,
  { team, isTrial }: Readonly<{ team: Options[string]; isTrial: boolean }>,
): Promise<string | undefined> {
  if (typeof team === 'string') return Promise.resolve(team);
  return isTrial ? readProjectOf(client, {}, world) : projectOf(client, {}, world.cwd);
}

function showPlan(world: World, plan: ImportPlan, options: Options): void {
  const { tasks, byStatus, notes, problems, records } = plan;
  const counts = {
    tasks,
    links: count(plan, 'link'),
    labels: count(plan, 'label'),
    comments: count(plan, 'comment'),
  };
  if (options['json']) return world.print(JSON.stringify({ ...counts, byStatus, notes, problems }));
  const statuses = Object.entries(byStatus).map(([status, times]) => `${times} ${status}`);
  world.print(
    `Would take ${tasks} tasks (${statuses.join(', ')}), ${counts.links} links, ${counts.labels} labels, ${counts.comments} comments.`,
  );
  for (const record of records.slice(0, TOLD))
    if (record.type === 'task') world.print(`  ${record.status.padEnd(9)} ${printable(record.title)}`);
  if (tasks > TOLD) world.print(`  … and ${tasks - TOLD} more`);
  tellAll(world, plan);
}

type Taken = Awaited<ReturnType<typeof importLines>>;

function carryOut(command: HubCommand, { records }: ImportPlan, from: string): Promise<Taken> {
  async function* lines(): AsyncGenerator<string> {
    for (const record of records) yield jsonLine(record);
  }
  return importLines(command, lines(), { what: `of ${records.length} records`, from, isRenewing: true });
}

function report(
  world: World,
  options: Options,
  { plan, taken }: Readonly<{ plan: ImportPlan; taken: Taken }>,
): void {
  const { tasks, notes } = plan;
  const { added, known, updated } = taken;
  const broken = taken.problems.map(({ line, problem }) => `record ${line}: ${problem}`);
  const problems = [...plan.problems, ...broken];
  if (options['json']) world.print(JSON.stringify({ added, known, updated, tasks, notes, problems }));
  else {
    tellAll(world, { notes, problems });
    const renewed = updated === 0 ? '' : `${updated} updated, `;
    world.print(
      `${tasks} tasks: ${added} records added, ${renewed}${known} already there, ${problems.length} broken.`,
    );
  }
  if (problems.length > 0) throw new QuietExit(1);
}

function tellAll(world: World, { notes, problems }: Pick<ImportPlan, 'notes' | 'problems'>): void {
  for (const note of notes) world.tell(printable(note));
  for (const problem of problems.slice(0, TOLD)) world.tell(printable(problem));
  if (problems.length > TOLD) world.tell(`… and ${problems.length - TOLD} more that could not be read`);
}

function count({ records }: ImportPlan, type: string): number {
  return records.filter((record) => record.type === type).length;
}
