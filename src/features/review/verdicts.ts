// What a person decides about a change, and what becomes of it.
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { requireOperator, requirePerson } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { type Acting, actorOf, type Call } from '../../store/calls.ts';
import type { Board } from '../board/board.ts';
import { type DispatchRoom, isOver } from '../dispatch/dispatch.ts';
import type { Landings } from '../landing/landing.ts';
import { tell } from './reviews.ts';
import { messageOf, whatApprovingDoes } from './rules.ts';
import { insertVerdict, threadsOf } from './rows.ts';
import type { ReviewVerdict } from './shapes.ts';
import type { Reviewed, Subjects } from './subjects.ts';
import type { ChangePlace, ChangeReader, ReviewedChange } from './changes.ts';

type VerdictParts = Readonly<{
  acting: Acting;
  board: Board;
  dispatch: DispatchRoom;
  landing: Landings;
  subjects: Subjects;
  changes: ChangeReader;
}>;

export type Deciding = Readonly<{
  body: string;
  /** What was looked at. */
  head: string;
  /** Why it is done although a check of the task is not satisfied. */
  override?: string | undefined;
}>;

type Became = Readonly<{ became: string; run?: string | undefined; landing?: string | undefined }>;
export type Outcome = Readonly<{ verdict: ReviewVerdict; run: string | null; landing: string | null }>;

export type Verdicts = ReturnType<typeof createVerdicts>;

export function createVerdicts(parts: VerdictParts) {
  const { acting, board, dispatch, landing, subjects, changes } = parts;

  /** Only what was looked at is decided about. */
  async function requireSeen(found: Reviewed, head: string): Promise<ReviewedChange> {
    const now = await changes.read(found.place, false);
    if (now.head !== head)
      throw new HubError('conflict', 'It has changed since you looked at it.', {
        hint: 'Look at what is new, and decide then.',
      });
    return now;
  }

  async function record(
    call: Call,
    found: Reviewed,
    {
      verdict,
      body,
      head,
      became,
    }: Readonly<Pick<ReviewVerdict, 'verdict' | 'body' | 'became'> & { head: string }>,
  ): Promise<ReviewVerdict> {
    return acting.change(call, async (tx, caller) => {
      const kept = {
        id: newId(),
        verdict,
        author: actorOf(caller).id,
        body: redact(body),
        became,
        createdAt: tx.now,
      };
      await insertVerdict(tx, { ...kept, subject: found.key, head });
      tell(tx, found, 'review.decided');
      return kept;
    });
  }

  type Letting = Readonly<{ seen: ReviewedChange; override: string | undefined }>;

  async function letThrough(call: Call, found: Reviewed, { seen, override }: Letting): Promise<Became> {
    const { task, landing: mine, lands, place } = found;
    const does = whatApprovingDoes({ status: task?.status, landing: mine, target: lands });
    if (does === 'land' || does === 'approve_landing' || does === 'under_way') {
      // Shown was what lies in the folder, and what was committed lands: it may hold what the folder has no more.
      if (seen.isDirty)
        throw new HubError(
          'conflict',
          `${folderOf(place)} holds what is not committed, so another thing would land.`,
          {
            hint: 'Commit or drop it there first, and look again.',
          },
        );
      // What was asked for before is taken where it is this very commit; else it is asked for anew.
      const asked = await landing.request(call, {
        taskId: task!.id,
        branch: place.branch,
        folder: place.repository,
        head: seen.commit,
      });
      const { id, target } = asked.state === 'waiting_person' ? await landing.approve(call, asked.id) : asked;
      const when = does === 'under_way' && id === mine?.id ? 'already' : 'once its checks pass';
      return { became: `Lands onto ${target} ${when}.`, landing: id };
    }
    if (does === 'done') {
      await acting.change(call, (tx, caller) =>
        board.in(tx, caller).move({
          taskId: task!.id,
          to: 'done',
          ...(override !== undefined && { override: { reason: override } }),
        }),
      );
      return { became: 'The task is done.' };
    }
    throw new HubError('conflict', 'There is nothing to approve.', {
      ...(task && { status: task.status }),
    });
  }

  /** Back to who worked on it: as the next prompt of its session, to its living holder, or free for the next. */
  async function sendBack(call: Call, found: Reviewed, message: string): Promise<Became> {
    const { task, run, landing: mine } = found;
    if (mine && ['waiting_person', 'queued', 'held', 'testing'].includes(mine.state))
      await landing.withdraw(call, mine.id);
    if (task)
      await acting.change(call, (tx, caller) =>
        board.in(tx, caller).comment({ taskId: task.id, body: message, authorType: 'user' }),
      );
    if (run && !isOver(run.state)) {
      await acting.change(call, (tx, caller) =>
        dispatch.in(tx, caller).reply({ id: run.id, kind: 'progress', body: message }),
      );
      return { became: `${run.agent} was told while it runs.`, run: run.id };
    }
    if (run && run.sessionId !== null) {
      const again = await dispatch.work.resume(call, run.id, message);
      return { became: `${again.agent} goes on with it.`, run: again.id };
    }
    if (!task) throw new HubError('conflict', 'Nobody is left to change it: it has no task and no session.');
    return { became: await giveBack(call, task.id) };
  }

  function giveBack(call: Call, taskId: string): Promise<string> {
    return acting.change(call, async (tx, caller) => {
      const desk = board.in(tx, caller);
      const { task } = await desk.get({ taskId, commentLimit: 1 });
      const [holder] = await board.holders(tx, [taskId]);
      if (task.status === 'in_review' && holder) {
        await desk.move({ taskId, to: 'in_progress' });
        return `Back with ${holder.agentId}, who holds it.`;
      }
      if (task.status === 'in_review' || task.status === 'done' || task.status === 'cancelled') {
        await desk.takeUpAgain(taskId);
        return 'Nobody holds it: it is free to be taken.';
      }
      return holder ? `${holder.agentId} holds it and finds the comments there.` : 'It is free to be taken.';
    });
  }

  return {
    async approve(call: Call, id: string, { body, head, override }: Deciding): Promise<Outcome> {
      requireOperator(call.who, 'Approving a change');
      const found = await subjects.locate(call, id);
      const seen = await requireSeen(found, head);
      const { became, landing: lands, run } = await letThrough(call, found, { seen, override });
      const verdict = await record(call, found, { verdict: 'approved', body, head, became });
      return { verdict, run: run ?? null, landing: lands ?? null };
    },

    async requestChanges(call: Call, id: string, { body, head }: Deciding): Promise<Outcome> {
      requirePerson(call.who, 'Requesting changes');
      const found = await subjects.locate(call, id);
      const threads = await acting.look(call, (q) => threadsOf(q, found.key));
      const isSaid = body.trim() !== '' || threads.some(({ resolvedAt }) => resolvedAt === null);
      if (!isSaid)
        throw new HubError('invalid', 'Say what is to change: in a comment on a line, or about the whole.');
      const message = redact(messageOf({ branch: found.place.branch, body, threads }));
      const { became, run } = await sendBack(call, found, message);
      const verdict = await record(call, found, { verdict: 'changes', body, head, became });
      return { verdict, run: run ?? null, landing: null };
    },
  };
}

const folderOf = ({ worktree, repository }: ChangePlace): string => worktree?.path ?? repository;
