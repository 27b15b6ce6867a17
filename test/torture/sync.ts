// Two clones of one repository, each with a hub of its own: random edits on both, merges by git, and in the end one board.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Readable } from 'node:stream';
import { createHub } from '../../src/app.ts';
import { runCli } from '../../src/cli/program.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import type { Hub } from '../../src/kernel/hub.ts';
import { hubToken } from '../../src/kernel/home.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { callRest } from '../fixtures/rest-call.ts';

export type SyncPlan = Readonly<{
  rounds: number;
  seed: number;
  /** Of the two hubs; a file of its own unless given. */
  databases?: readonly [string | undefined, string | undefined];
}>;

export type SyncOutcome = Readonly<{
  violations: string[];
  edits: number;
  syncs: number;
  merges: number;
  tasks: number;
  overruled: number;
}>;

type Task = Readonly<{
  id: string;
  title: string;
  status: string;
  priority: number;
  due: string | null;
  description: string | null;
  parentTaskId: string | null;
  labels: readonly string[];
  after: readonly string[];
}>;
type Board = ReadonlyMap<string, Task>;
/** What somebody left behind between two syncs: the newest of all counts in the end. */
type Said = Readonly<{ value: string; at: number; by: string }>;

export async function tortureSync(plan: SyncPlan): Promise<SyncOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sync-'));
  const random = dice(plan.seed);
  const git = (cwd: string, ...args: string[]) => gitIn(folder, cwd, args);
  git(folder, 'init', '-q', '--bare', 'origin.git');
  // One history for both, before anybody says anything; the file is added on both sides.
  git(folder, 'clone', '-q', 'origin.git', 'first');
  git(join(folder, 'first'), 'commit', '-q', '--allow-empty', '-m', 'begin');
  git(join(folder, 'first'), 'push', '-q', 'origin', 'HEAD:main');
  const sides: Side[] = [];
  const tally = { edits: 0, syncs: 0, merges: 0, overruled: 0 };
  const newest = new Map<string, Said>();
  try {
    for (const [i, name] of ['ada', 'ben'].entries())
      sides.push(await openSide({ folder, name, database: plan.databases?.[i], git, tally, newest }));
    for (let round = 0; round < plan.rounds; round += 1) {
      for (const side of sides) for (let i = random(4); i > 0; i -= 1) await side.edit(random);
      for (const side of sides) if (random(3) > 0) await side.sync();
      for (const side of sides) if (random(3) === 0) await side.travel();
    }
    for (const side of [...sides, ...sides]) await side.travel();
    const violations = await judge(sides, newest);
    return { ...tally, violations, tasks: (await sides[0]!.board()).size };
  } finally {
    for (const side of sides) await side.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

export function describeSync({ violations, ...counts }: SyncOutcome): string {
  const told = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
  return `board sync: ${told.join(', ')}; ${violations.length} violations\n`;
}

type Roll = (sides: number) => number;

/** The same seed, the same story. */
function dice(seed: number): Roll {
  let state = seed >>> 0 || 1;
  return (sides) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % sides;
  };
}

function gitIn(folder: string, cwd: string, args: readonly string[]): string {
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'x',
    GIT_AUTHOR_EMAIL: 'x@example.com',
    GIT_COMMITTER_NAME: 'x',
    GIT_COMMITTER_EMAIL: 'x@example.com',
  };
  return execFileSync('git', ['-c', 'init.defaultBranch=main', ...args], {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

const MOST_TASKS = 120;

type SideParts = Readonly<{
  folder: string;
  name: string;
  database: string | undefined;
  git(cwd: string, ...args: string[]): string;
  tally: { edits: number; syncs: number; merges: number; overruled: number };
  newest: Map<string, Said>;
}>;
type Side = Awaited<ReturnType<typeof openSide>>;

async function openSide({ folder, name, database, git, tally, newest }: SideParts) {
  const clone = join(folder, name);
  const home = join(folder, `${name}-home`);
  mkdirSync(home);
  git(folder, 'clone', '-q', 'origin.git', name);
  git(clone, 'config', 'user.name', name);
  const env = {
    HOLDFAST_HOME: home,
    HOME: folder,
    PATH: process.env['PATH'],
    ...(database && { HOLDFAST_DATABASE: database }),
  };
  const config = { ...(await resolveConfig({ flags: {}, env })), host: '127.0.0.1', ports: [0] };
  const hub: Hub = await createHub(config, 'public', silentLog);
  const token = hubToken(config, env);
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await callRest({ at: hub.address, token }, [method, path], body);
    if (answer.status >= 300) throw new Refused(answer.status, answer.text);
    return answer.body as T;
  };

  let last: Board = new Map();
  /** When each field was last changed here. */
  const touched = new Map<string, number>();
  let words = 0;

  type Line = Task & { type: string; taskId: string; label: string; dependsOnTaskId: string };
  async function board(): Promise<Board> {
    const lines: Line[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const query = cursor === undefined ? '' : `?cursor=${cursor}`;
      const page = await call<{ records: Line[]; nextCursor?: string }>('GET', `/api/board/archive${query}`);
      lines.push(...page.records);
      cursor = page.nextCursor;
    }
    const labels = Map.groupBy(
      lines.filter(({ type }) => type === 'label'),
      ({ taskId }) => taskId,
    );
    const links = Map.groupBy(
      lines.filter(({ type }) => type === 'link'),
      ({ taskId }) => taskId,
    );
    return new Map(
      lines
        .filter(({ type }) => type === 'task')
        .map((task) => [
          task.id,
          {
            ...task,
            labels: (labels.get(task.id) ?? []).map(({ label }) => label),
            after: (links.get(task.id) ?? []).map(({ dependsOnTaskId }) => dependsOnTaskId).sort(),
          },
        ]),
    );
  }

  /** What was left behind since the last time, by the moment it was said. */
  function note(now: Board): void {
    const fields = new Set([...fieldsOf(last).keys(), ...fieldsOf(now).keys()]);
    const [before, after] = [fieldsOf(last), fieldsOf(now)];
    for (const field of fields) {
      if (before.get(field) === after.get(field)) continue;
      const at = touched.get(field) ?? 0;
      const known = newest.get(field);
      const said = { value: after.get(field) ?? 'absent', at, by: name };
      if (!known || known.at < at) newest.set(field, said);
    }
  }

  async function sync(): Promise<void> {
    note(await board());
    const printed: string[] = [];
    const told: string[] = [];
    const code = await runCli(['board', 'sync', '--trust', '--json'], {
      env,
      cwd: clone,
      stdin: Readable.from([]),
      print: (line) => void printed.push(line),
      tell: (line) => void told.push(line),
      columns: undefined,
      self: [],
      createHub: () => Promise.reject(new Error('there is a hub')),
      serveStdio: () => Promise.reject(new Error('not here')),
      interrupted: new AbortController().signal,
    });
    if (code !== 0) throw new Error(`${name}: board sync ended with ${code}: ${told.join(' ')}`);
    const report = JSON.parse(printed[0]!) as { overruled: unknown[] };
    tally.overruled += report.overruled.length;
    tally.syncs += 1;
    last = await board();
    git(clone, 'add', '-A');
    if (git(clone, 'status', '--porcelain') !== '') git(clone, 'commit', '-qm', 'sync');
  }

  /** As people do: what is mine in, what is theirs merged, and both together back. */
  async function travel(): Promise<void> {
    await sync();
    git(clone, 'fetch', '-q');
    tally.merges += 1;
    git(clone, 'merge', '-q', '--no-edit', 'origin/main');
    await sync();
    git(clone, 'push', '-q', 'origin', 'HEAD:main');
  }

  async function edit(random: Roll): Promise<void> {
    const tasks = [...(await board()).values()];
    const any = () => tasks[random(tasks.length)]!;
    const text = () => `${name} says ${(words += 1)} \u2014 "${random(1_000)}"`;
    const touch = (...fields: string[]) => fields.forEach((field) => touched.set(field, Date.now()));
    // Two edits never share a moment: which is the newer one is beyond doubt.
    await sleep(3);
    tally.edits += 1;
    const task = tasks.length === 0 ? undefined : any();
    const kind = task ? random(10) + (tasks.length > MOST_TASKS ? 2 : 0) : 0;
    const path = `/api/board/tasks/${task?.id}`;
    try {
      if (kind <= 1) {
        const { project } = await call<{ project: { teamId: string } }>('POST', '/api/projects/resolve', {
          folder: clone,
        });
        const parent = kind === 1 && task ? { parentTaskId: task.id } : {};
        const made = await call<Task>('POST', '/api/board/tasks', {
          title: text(),
          teamId: project.teamId,
          ...parent,
        });
        touch(
          ...['title', 'status', 'priority', 'due', 'description', 'dropped'].map(
            (field) => `${made.id} ${field}`,
          ),
        );
      } else if (kind === 2) {
        await call('PATCH', path, { title: text() });
        touch(`${task!.id} title`);
      } else if (kind === 3) {
        await call('PATCH', path, { description: random(4) === 0 ? null : text() });
        touch(`${task!.id} description`);
      } else if (kind === 4) {
        await call('PATCH', path, { priority: random(1_000), due: `2027-0${1 + random(9)}-1${random(10)}` });
        touch(`${task!.id} priority`, `${task!.id} due`);
      } else if (kind === 5) {
        const label = `l${random(6)}`;
        const isThere = task!.labels.includes(label);
        await call('PATCH', `${path}/labels`, isThere ? { remove: [label] } : { add: [label] });
        touch(`${task!.id} label:${label}`);
      } else if (kind === 6) {
        const other = any();
        const method = task!.after.includes(other.id) ? 'DELETE' : 'POST';
        if (method === 'POST') await call('POST', `${path}/dependencies`, { dependsOnTaskId: other.id });
        else await call('DELETE', `${path}/dependencies/${other.id}`);
      } else if (kind === 7) {
        const to = ['backlog', 'todo', 'blocked', 'cancelled'][random(4)]!;
        await call('PATCH', path, { status: to });
        touch(`${task!.id} status`);
      } else if (kind === 8) {
        const isOver = task!.status === 'done' || task!.status === 'cancelled';
        if (isOver) await call('PUT', `${path}/reopened`, {});
        else {
          await call('POST', `${path}/claim`, { agentId: name });
          touch(`${task!.id} status`);
          if (random(2) === 0) await call('PATCH', path, { status: 'done', agentId: name });
          else await call('POST', `${path}/release`, { agentId: name });
        }
        touch(`${task!.id} status`);
      } else if (random(4) === 0) {
        await call('DELETE', path);
        touch(`${task!.id} dropped`);
      }
    } catch (error) {
      // A move that is not allowed is no edit.
      if (!(error instanceof Refused)) throw error;
    }
  }

  return {
    name,
    board,
    sync,
    travel,
    edit,
    file: () => readFileSync(join(clone, '.holdfast', 'board.jsonl'), 'utf8'),
    close: () => hub.close(),
  };
}

class Refused extends Error {
  constructor(status: number, text: string) {
    super(`${status}: ${text}`);
  }
}

/** A board as what can be said of it, one thing each. Links are not among them: of a circle, one is left out. */
function fieldsOf(board: Board): Map<string, string> {
  const fields = new Map<string, string>();
  for (const { id, title, status, priority, due, description, labels } of board.values()) {
    const isUnderWay = status === 'in_progress' || status === 'in_review';
    const said = { title, status: isUnderWay ? 'todo' : status, priority, due, description, dropped: false };
    for (const [field, value] of Object.entries(said)) fields.set(`${id} ${field}`, JSON.stringify(value));
    for (const label of labels) fields.set(`${id} label:${label}`, 'true');
  }
  return fields;
}

/** Where tasks stand. What was dropped is nobody's parent. */
function placesIn(board: Board): [string, string][] {
  return [...board.values()].flatMap(({ id, after, parentTaskId }): [string, string][] => [
    [`${id} after`, after.join(' ')],
    [`${id} parent`, String(parentTaskId !== null && board.has(parentTaskId) ? parentTaskId : null)],
  ]);
}

async function judge(sides: readonly Side[], newest: ReadonlyMap<string, Said>): Promise<string[]> {
  const violations: string[] = [];
  const boards = await Promise.all(sides.map((side) => side.board()));
  const [one, other] = boards.map((board) => new Map([...fieldsOf(board), ...placesIn(board)]));
  for (const field of new Set([...one!.keys(), ...other!.keys()]))
    if (one!.get(field) !== other!.get(field))
      violations.push(`${field} is ${one!.get(field)} on one board and ${other!.get(field)} on the other`);
  if (sides[0]!.file() !== sides[1]!.file()) violations.push('the two files differ');
  const ids = new Set([...newest.keys()].map((field) => field.split(' ')[0]!));
  const final = fieldsOf(boards[0]!);
  for (const id of ids) {
    const dropped = newest.get(`${id} dropped`);
    const isDropped = dropped?.value === 'absent';
    if (isDropped !== !boards[0]!.has(id))
      violations.push(`${id} should ${isDropped ? 'be gone' : 'be there'}`);
  }
  for (const [field, { value, by }] of newest) {
    const id = field.split(' ')[0]!;
    if (!boards[0]!.has(id)) continue;
    const now = final.get(field) ?? 'absent';
    if (now !== value) violations.push(`${field} is ${now}, and ${by} said ${value} last`);
  }
  return violations;
}
