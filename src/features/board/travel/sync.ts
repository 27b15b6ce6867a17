import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { type Principal, requirePerson } from '../../../kernel/principal.ts';
import { actorFor } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { rememberAll } from '../people/remember.ts';
import { releaseTasks } from '../rows/imports.ts';
import { pageOfTeam, stampedWithoutTask, writeStamps } from '../rows/stamps.ts';
import type { StoredTask } from '../task.ts';
import { carriedFields, type TaskHere, keepFields, readHere } from './here.ts';
import { type BoardLine, readLine, writeLine } from './line.ts';
import { applyLinks } from './links.ts';
import { emptyReport, type SyncReport } from './report.ts';
import { takeTask } from './take.ts';
import type { Taking } from './taken-lines.ts';

/**
 * A board that travels in git: the lines of its file in, page by page, and then out again. Only a person may ask for it, and
 * only about a whole project. See docs/design/board-sync.md.
 */
export interface BoardSync {
  take(who: Principal, given: SyncRequest, command?: string): Promise<SyncReport>;
  page(who: Principal, given: PageRequest): Promise<Readonly<{ lines: string[]; nextAfter?: string }>>;
}

export type SyncRequest = Readonly<{
  teamId: string;
  lines: readonly string[];
  sync?: string | undefined;
  more?: boolean | undefined;
  trust?: boolean | undefined;
  person?: string | undefined;
  again?: boolean | undefined;
  from?: string | undefined;
  dryRun?: boolean | undefined;
}>;

type PageRequest = Readonly<{
  teamId: string;
  after?: string | undefined;
  person?: string | undefined;
}>;

const PAGE = 200;
const SOMEBODY = 'person';

export function createBoardSync(db: Database, depth: number): BoardSync {
  /** Every task of the project, a page at a time, with what it says. */
  async function* pages(tx: Tx, teamId: string, person: string) {
    for (let after = ''; ;) {
      const tasks = await pageOfTeam(tx, teamId, { after, limit: PAGE });
      if (tasks.length > 0) yield { tasks, here: await readHere(tx, tasks, { person, now: tx.now }) };
      if (tasks.length < PAGE) return;
      after = tasks.at(-1)!.id;
    }
  }

  /** What was said here since the last time gets its stamp, and then all links are made what they are said to be. */
  async function finish(taking: Taking): Promise<void> {
    const { tx, teamId, person, importId } = taking;
    const all = new Map<string, TaskHere>();
    for await (const { tasks, here } of pages(tx, teamId, person))
      for (const task of tasks)
        all.set(task.id, await stampOwn(tx, teamId, { task, here: here.get(task.id)! }));
    await applyLinks(taking, all);
    await releaseTasks(tx, importId);
  }

  return {
    async take(who, given, command) {
      refuseOthers(who, given.teamId);
      if (given.more === true && given.sync === undefined)
        throw new HubError('invalid', 'more needs sync: a name that all requests of one sync share.');
      const read = readAll(given.lines);
      const bringing = rememberAll({
        who,
        what: 'sync_board',
        command: command ?? given.sync ?? newId(),
        source: given.from,
      });
      const unit = async (tx: Tx): Promise<SyncReport> => {
        const report = emptyReport();
        report.problems.push(...read.problems);
        const taking: Taking = {
          tx,
          now: tx.now,
          teamId: given.teamId,
          person: given.person ?? SOMEBODY,
          isTrusted: given.trust === true,
          importId: given.sync ?? newId(),
          depth,
          isAgain: given.again === true,
          bringing,
          report,
        };
        for (const [id, lines] of read.byId) await takeTask(taking, id, lines);
        if (given.more !== true) await finish(taking);
        await bringing.ended(tx);
        return report;
      };
      return given.dryRun === true ? tried(db, who, unit) : db.write(actorFor(who), unit);
    },

    async page(who, { teamId, after = '', person = SOMEBODY }) {
      refuseOthers(who, teamId);
      return db.read(async (q) => {
        const tasks = await pageOfTeam(q, teamId, { after, limit: PAGE });
        const last = tasks.length === PAGE ? tasks.at(-1)!.id : undefined;
        const here = await readHere(q, tasks, { person, now: db.now() });
        const carried = await stampedWithoutTask(q, teamId, { after, until: last });
        const lines: BoardLine[] = [
          ...tasks.map(({ id }) => ({ id, fields: here.get(id)!.fields })),
          ...carried.map(({ taskId, fields }) => ({ id: taskId, fields: carriedFields(fields) })),
        ];
        return {
          lines: lines.sort((a, b) => (a.id < b.id ? -1 : 1)).map(writeLine),
          ...(last !== undefined && { nextAfter: last }),
        };
      });
    },
  };
}

function refuseOthers(who: Principal, teamId: string): void {
  requirePerson(who, 'A board that travels');
  if (who.bound.team !== undefined && who.bound.team !== teamId)
    throw new HubError('forbidden', `This caller is bound to ${who.bound.team}.`, { team: who.bound.team });
}

function readAll(texts: readonly string[]) {
  const byId = new Map<string, BoardLine[]>();
  const problems: SyncReport['problems'] = [];
  texts.forEach((text, i) => {
    const line = readLine(text);
    if ('problem' in line) problems.push({ line: i + 1, problem: line.problem });
    else byId.set(line.id, [...(byId.get(line.id) ?? []), line]);
  });
  return { byId, problems };
}

type TaskAsHere = Readonly<{ task: StoredTask; here: TaskHere }>;

async function stampOwn(tx: Tx, teamId: string, { task, here }: TaskAsHere): Promise<TaskHere> {
  const kept = keepFields(here.fields, here.values, here);
  const isSame = JSON.stringify(kept) === JSON.stringify(here.kept);
  if (!isSame) await writeStamps(tx, { taskId: task.id, teamId, fields: kept });
  return { ...here, kept };
}

/** The same, and then nothing of it: what it would say is known, and nothing is changed. */
async function tried(
  db: Database,
  who: Principal,
  unit: (tx: Tx) => Promise<SyncReport>,
): Promise<SyncReport> {
  const trial: { report?: SyncReport } = {};
  const undone = new Error('a trial');
  try {
    await db.write(actorFor(who), async (tx) => {
      trial.report = await unit(tx);
      throw undone;
    });
  } catch (error) {
    if (error !== undone) throw error;
  }
  return trial.report!;
}
