// Pull requests of tasks, for those who review elsewhere: opened through gh, followed, and what becomes of them there happens here.
import { z } from 'zod';
import type { Config } from '../../../kernel/config.ts';
import { HubError } from '../../../kernel/errors.ts';
import { isAncestor } from '../../../kernel/git/merge.ts';
import { fetchTip, pushBranch } from '../../../kernel/git/remote.ts';
import { landSettingsOf } from '../../../kernel/land-settings.ts';
import type { Log } from '../../../kernel/log.ts';
import {
  requireOperator,
  requirePerson,
  seesTeam,
  systemActor,
  systemPrincipal,
} from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import { type Acting, type Call, callerOf, hubCaller } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import { branchOfTask, type BranchRequest } from '../ask/branch-of-task.ts';
import type { LandPlaces } from '../ask/land-places.ts';
import { confirmedUrl } from '../move/remotes.ts';
import { branchAt, inRepository, repositoryAt } from '../repository.ts';
import { asRepo, ghFailed, type RunGh, runGh, type Slug, slugOf } from './gh.ts';
import { type Heard, hearPull, quoted } from './hear.ts';
import { changePull, newestPulls, openPulls, type Pull, pullOf, pulls } from './rows.ts';

export const pullSchema = z.object({
  task: z.string(),
  project: z.string(),
  branch: z.string(),
  head: z.string(),
  number: z.int(),
  url: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  problem: z.string().nullable().describe('Why it could not be looked at the last time.'),
  syncedAt: z.int(),
  createdAt: z.int(),
});
type PullView = z.infer<typeof pullSchema>;

type PullParts = Readonly<{
  db: Database;
  acting: Acting;
  board: Board;
  config: Config;
  where: LandPlaces;
  log: Log;
}>;

type PullRequest = Omit<BranchRequest, 'repository'>;

export type Pulls = ReturnType<typeof createPulls>;

/** Looked at in one round, however many there are. */
const AT_ONCE = 20;
const MOST_NEW = 50;
const MOST_HEARD = 2_000;
/** What the hub does to a task because somebody merged or closed there. */
const AS_PERSON = callerOf({ who: systemPrincipal, via: 'route' });

export function createPulls({ db, acting, board, config, where, log }: PullParts) {
  const gh: RunGh = runGh;

  async function learn(call: Call, request: PullRequest) {
    requireOperator(call.who, 'Opening a pull request', 'Use `holdfast pr`');
    const of = await branchOfTask({ acting, board, where }, call, request);
    const { task, branch, repository, project, target } = of;
    const head = await inRepository(repository, (git) => branchAt(git, branch));
    if (head === undefined)
      throw new HubError('not_found', `There is no branch ${branch} with a commit.`, { branch });
    const remote = landSettingsOf(config.land, project).push ?? 'origin';
    const at = await confirmedUrl(db, { repository, remote });
    if ('why' in at)
      throw new HubError('conflict', at.why, {
        hint: '`holdfast land confirm` shows the address and asks you.',
      });
    const slug = slugOf(at.url);
    if (!slug) throw new HubError('invalid', `${at.url} is not where a pull request could be opened.`);
    return { task, branch, head, repository, project, target, url: at.url, slug };
  }

  type Learnt = Awaited<ReturnType<typeof learn>>;

  /** What is there and not here is somebody's, and stays. */
  async function push({ repository, url, branch, head }: Learnt): Promise<void> {
    const place = await repositoryAt(repository);
    const there = await fetchTip({ place, url, branch });
    if (there === head) return;
    if (there !== null && !(await inRepository(repository, (git) => isAncestor(git, there, head))))
      throw new HubError('conflict', `${branch} has commits there that it does not have here.`, {
        hint: 'Fetch and merge them first.',
      });
    const refused = await pushBranch({ place, url, branch, commit: head, from: there });
    if (refused !== undefined) throw new HubError('conflict', `The push was refused: ${refused}`);
  }

  async function create({
    task,
    branch,
    target,
    slug,
  }: Learnt): Promise<Readonly<{ url: string; number: number }>> {
    const body = [...(task.description === null ? [] : [task.description, '']), `Holdfast-Task: ${task.id}`];
    const end = await gh(
      'pr',
      'create',
      `--repo=${asRepo(slug)}`,
      `--head=${branch}`,
      `--base=${target}`,
      `--title=${task.title}`,
      `--body=${body.join('\n')}`,
    );
    // One that is there already is named where it refuses another.
    const found = /https:\/\/\S+\/pull\/(\d+)/.exec(end.code === 0 ? end.stdout : end.stderr);
    if (!found) throw ghFailed('open the pull request', end);
    return { url: found[0], number: Number(found[1]) };
  }

  async function tell(pull: Pull, { state, said }: Heard): Promise<Pull> {
    return db.write(systemActor, async (tx) => {
      const current = (await pullOf(tx, pull.taskId)) ?? pull;
      const known = new Set(current.heard);
      const fresh = said.filter(({ id }) => !known.has(id)).slice(0, MOST_NEW);
      const desk = board.in(tx, hubCaller);
      const { taskId } = pull;
      for (const one of fresh) await desk.comment({ taskId, body: quoted(one) });
      const heard = [...current.heard, ...fresh.map(({ id }) => id)].slice(-MOST_HEARD);
      const change = { state, heard, problem: null, syncedAt: tx.now };
      await changePull(tx, taskId, change);
      if (current.state === 'open' && state === 'merged') {
        await desk.comment({ taskId, body: `Merged there: ${pull.url}` });
        await desk.finishLanded(taskId);
      }
      if (current.state === 'open' && state === 'closed') {
        await desk.comment({ taskId, body: `Closed there without a merge: ${pull.url}` });
        const { task } = await desk.get({ taskId, commentLimit: 1 });
        if (task.status !== 'cancelled') await board.in(tx, AS_PERSON).takeUpAgain(taskId);
      }
      if (fresh.length > 0 || current.state !== state)
        tx.emit({
          kind: 'pull.changed',
          subject: taskId,
          realm: 'hub',
          team: pull.project,
          data: { taskId, state },
        });
      return { ...current, ...change };
    });
  }

  async function syncOne(pull: Pull): Promise<Pull> {
    try {
      return await tell(pull, await hearPull(gh, slugFrom(pull.slug), pull.number));
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      const problem = excerpt(error.message, 500);
      await db.write(systemActor, (tx) => changePull(tx, pull.taskId, { problem, syncedAt: tx.now }));
      log.info('a pull request could not be looked at', { task: pull.taskId, error });
      return { ...pull, problem };
    }
  }

  async function known(call: Call, taskId: string | undefined): Promise<Pull[]> {
    return acting.look(call, async (q, { who }) => {
      const found = taskId === undefined ? await newestPulls(q) : [await pullOf(q, taskId)];
      return found.filter((one) => one !== undefined).filter(({ project }) => seesTeam(who, project));
    });
  }

  return {
    async open(call: Call, request: PullRequest): Promise<PullView> {
      const learnt = await learn(call, request);
      const { task, branch, head, repository, project, slug } = learnt;
      await push(learnt);
      const before = await db.read((q) => pullOf(q, task.id));
      if (before?.state === 'open' && before.branch === branch) {
        await db.write(systemActor, (tx) => changePull(tx, task.id, { head }));
        return present({ ...before, head });
      }
      const made = await create(learnt);
      return acting.change(call, async (tx, caller) => {
        const pull: Pull = {
          ...made,
          taskId: task.id,
          project,
          repository,
          branch,
          head,
          slug: JSON.stringify(slug),
          state: 'open',
          heard: [],
          problem: null,
          syncedAt: tx.now,
          createdAt: tx.now,
        };
        await pulls.put(tx, pull, ['taskId']);
        if (task.branchRef === null)
          await board.in(tx, caller).update({ taskId: task.id, branchRef: branch });
        await board.in(tx, hubCaller).comment({ taskId: task.id, body: `Pull request: ${made.url}` });
        tx.emit({
          kind: 'pull.changed',
          subject: task.id,
          realm: 'hub',
          team: project,
          data: { taskId: task.id, state: 'open' },
        });
        return present(pull);
      });
    },

    list: async (call: Call, taskId: string | undefined): Promise<PullView[]> =>
      (await known(call, taskId)).map(present),

    async sync(call: Call, taskId: string | undefined): Promise<PullView[]> {
      requirePerson(call.who, 'Having pull requests looked at');
      const found = (await known(call, taskId)).filter(({ state }) => state === 'open').slice(0, AT_ONCE);
      const seen: PullView[] = [];
      for (const pull of found) seen.push(present(await syncOne(pull)));
      return seen;
    },

    /** A few at a time; where there is none, nothing is started. */
    async poll(): Promise<void> {
      for (const pull of await db.read((q) => openPulls(q, AT_ONCE))) await syncOne(pull);
    },
  };
}

function slugFrom(stored: string): Slug {
  return JSON.parse(stored) as Slug;
}

function present({ taskId, repository: _r, slug: _s, heard: _h, ...rest }: Pull): PullView {
  return { ...rest, task: taskId };
}
