// Reviews: what a change is, what is said about its lines, and what a person decides. The only way in.
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requirePerson } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { type Acting, actorOf, type Call, type Caller } from '../../store/calls.ts';
import type { Query, Tx } from '../../store/database.ts';
import { isOver } from '../dispatch/dispatch.ts';
import type { Landings } from '../landing/landing.ts';
import type { ChangeReader } from './changes.ts';
import { whatApprovingDoes } from './rules.ts';
import {
  countReplies,
  countThreads,
  findThread,
  insertComment,
  insertThread,
  MOST_REPLIES,
  MOST_THREADS,
  resolveThread,
  type StoredThread,
  threadsOf,
  verdictsOf,
  wholeThread,
} from './rows.ts';
import type { ConflictSides, ReviewPlan, ReviewView, Side, Thread } from './shapes.ts';
import type { Reviewed, Subject, Subjects } from './subjects.ts';

type ReviewParts = Readonly<{ acting: Acting; landing: Landings; subjects: Subjects; changes: ChangeReader }>;

export type NewThread = Readonly<{
  path: string;
  side: Side;
  fromLine: number;
  toLine: number;
  quoted: string;
  head: string;
  body: string;
  suggestion?: string | undefined;
}>;

type Reply = Readonly<{ threadId: string; body: string; resolve?: boolean | undefined }>;

export type Reviews = ReturnType<typeof createReviews>;

export function createReviews({ acting, landing, subjects, changes }: ReviewParts) {
  async function located(call: Call, id: string): Promise<Reviewed> {
    requirePerson(call.who, 'Looking at what was changed');
    return subjects.locate(call, id);
  }

  async function planOf(call: Call, { task, landing: mine, lands, place }: Reviewed) {
    const does = whatApprovingDoes({ status: task?.status, landing: mine, target: lands });
    const checks = lands === undefined ? [] : (await landing.checks(call, place.repository)).checks;
    return { does, required: checks.filter(({ required }) => required).map(({ name }) => name) };
  }

  /** The thread, for whoever may see what it is about. */
  async function requireThread(
    q: Query,
    caller: Caller,
    id: string,
  ): Promise<StoredThread & { of: Subject }> {
    const thread = await findThread(q, id);
    if (!thread) throw new HubError('not_found', `not found: comment ${id}`);
    return { ...thread, of: await subjects.find(q, caller, thread.subject) };
  }

  function say(
    tx: Tx,
    caller: Caller,
    said: Readonly<{ threadId: string; body: string; suggestion?: string | undefined }>,
  ) {
    return insertComment(tx, {
      id: newId(),
      threadId: said.threadId,
      author: actorOf(caller).id,
      byPerson: caller.isPerson,
      body: redact(said.body),
      suggestion: said.suggestion === undefined ? null : redact(said.suggestion),
      createdAt: tx.now,
    });
  }

  return {
    async get(call: Call, id: string, isSpaceIgnored: boolean): Promise<ReviewView> {
      const found = await located(call, id);
      const { task, run, place, landing: mine, lands, key } = found;
      const change = await changes.read(place, isSpaceIgnored);
      const tip = change.commits[0]?.id;
      const evidence = [
        ...(tip === undefined ? [] : await landing.evidenceAt(tip)),
        ...(mine && mine.evidence.length > 0 ? await landing.evidence(call, mine.id) : []),
      ];
      const { does, required } = await planOf(call, found);
      const passed = new Map(evidence.map((each) => [each.check, each.passed]));
      const plan: ReviewPlan = {
        does,
        target: lands ?? null,
        merges: lands === undefined && run?.worktree && isOver(run.state) ? (place.target ?? null) : null,
        checks: required.map((name) => ({ name, passed: passed.get(name) ?? null })),
        conflicts: does === 'nothing' && lands !== undefined ? [] : [...change.conflicts],
      };
      const said = await acting.look(call, async (q) => ({
        threads: await threadsOf(q, key),
        verdicts: await verdictsOf(q, key),
      }));
      return {
        id: key,
        title: task?.title ?? firstLine(run!.prompt),
        task: task?.id ?? null,
        status: task?.status ?? null,
        run: run?.id ?? null,
        agent: run?.agent ?? task?.assigneeAgentId ?? null,
        project: found.team,
        branch: place.branch,
        base: change.base,
        head: change.head,
        folder: place.worktree?.kept ? place.worktree.path : place.repository,
        uncommitted: change.isDirty,
        commits: [...change.commits],
        files: [...change.files],
        ...said,
        evidence: [...new Map(evidence.map((each) => [each.id, each])).values()],
        landing: mine,
        plan,
      };
    },

    file: async (call: Call, id: string, path: string) => changes.file((await located(call, id)).place, path),

    conflicts: async (call: Call, id: string): Promise<ConflictSides[]> =>
      changes.conflicts((await located(call, id)).place),

    threads: (call: Call, id: string): Promise<Thread[]> =>
      acting.look(call, async (q, caller) => threadsOf(q, (await subjects.find(q, caller, id)).key)),

    comment: (call: Call, id: string, given: NewThread): Promise<Thread> =>
      acting.change(call, async (tx, caller) => {
        const subject = await subjects.find(tx, caller, id);
        if ((await countThreads(tx, subject.key)) >= MOST_THREADS)
          throw new HubError('limited', `More than ${MOST_THREADS} comments on one change are not kept.`);
        const { body, suggestion, ...where } = given;
        const thread: StoredThread = {
          ...where,
          quoted: redact(where.quoted),
          toLine: Math.max(where.fromLine, where.toLine),
          id: newId(),
          subject: subject.key,
          resolvedBy: null,
          resolvedAt: null,
          createdAt: tx.now,
        };
        await insertThread(tx, thread);
        await say(tx, caller, { threadId: thread.id, body, suggestion });
        tell(tx, subject, 'review.commented');
        return wholeThread(tx, thread);
      }),

    reply: (call: Call, { threadId, body, resolve }: Reply): Promise<Thread> =>
      acting.change(call, async (tx, caller) => {
        const { of, ...thread } = await requireThread(tx, caller, threadId);
        if ((await countReplies(tx, threadId)) >= MOST_REPLIES)
          throw new HubError('limited', `More than ${MOST_REPLIES} replies to one comment are not kept.`);
        if (body !== '') await say(tx, caller, { threadId, body });
        const change =
          resolve === undefined
            ? {}
            : resolve
              ? { resolvedBy: actorOf(caller).id, resolvedAt: tx.now }
              : { resolvedBy: null, resolvedAt: null };
        const now = { ...thread, ...change };
        if (resolve !== undefined) await resolveThread(tx, threadId, now);
        tell(tx, of, 'review.commented');
        return wholeThread(tx, now);
      }),
  };
}

/** Ids only: what was said is fetched by who may see it. */
export function tell(tx: Tx, { key, team }: Pick<Subject, 'key' | 'team'>, kind: `review.${string}`): void {
  tx.emit({ kind, subject: key, realm: 'hub', ...(team !== null && { team }) });
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 200);
}
