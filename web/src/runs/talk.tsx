import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useComment } from '../board/queries.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Refused } from '../parts/empty.tsx';
import { sendOrLeave } from '../parts/send-or-leave.ts';
import { useReply, useResume, type Run } from './queries.ts';
import { isOpen } from './state.tsx';

/**
 * How words reach the agent of a run: while it runs as a message of the run, afterwards as the next prompt of its session;
 * an agent that left no session finds them on its task.
 */
type Way = Readonly<{
  verb: string;
  hint: string;
  /** What becomes of the words, as the end of a sentence. */
  fate: string;
  error: unknown;
  isPending: boolean;
  send(text: string, onSent: () => void): void;
}>;

function useWayTo(run: Run): Way | undefined {
  const reply = useReply(run.task_id);
  const resume = useResume(run.task_id);
  const comment = useComment(run.board_task ?? '');
  const navigate = useNavigate();
  if (isOpen(run))
    return {
      verb: 'Send',
      hint: run.reason === 'waiting_input' ? 'Answer its question' : 'Say something to it',
      fate: 'a message to the agent while it runs',
      error: reply.error,
      isPending: reply.isPending,
      send: (text, onSent) => text.trim() !== '' && reply.mutate(text, { onSuccess: onSent }),
    };
  if (run.session_id !== undefined)
    return {
      verb: 'Resume',
      hint: 'Go on where it left off, or say what is next',
      fate: 'the next prompt of its session, as a new run; its task is under way again',
      error: resume.error,
      isPending: resume.isPending,
      send: (text, onSent) =>
        resume.mutate(text.trim(), {
          onSuccess: ({ task_id: runId }) => (
            onSent(),
            void navigate({ to: '/runs/$runId', params: { runId } })
          ),
        }),
    };
  if (run.board_task === undefined) return undefined;
  return {
    verb: 'Comment on its task',
    hint: 'It left no session; whoever takes the task next reads this',
    fate: 'a comment on its task, for whoever takes it next: the agent left no session',
    error: comment.error,
    isPending: comment.isPending,
    send: (text, onSent) => text.trim() !== '' && comment.mutate(text, { onSuccess: onSent }),
  };
}

export function Talk({ run }: Readonly<{ run: Run }>): ReactNode {
  const draft = useDraft(`run ${run.task_id} message`);
  const { text } = draft;
  const way = useWayTo(run);
  if (!way) return null;
  const isNeeded = way.verb !== 'Resume';
  return (
    <form
      className="flex flex-col gap-1.5"
      onSubmit={(event) => (event.preventDefault(), !way.isPending && way.send(text, draft.forget))}
    >
      <Refused error={way.error} />
      <div className="flex items-end gap-2">
        <textarea
          className="field min-w-0 flex-1 max-sm:min-h-14"
          rows={text.includes('\n') || text.length > 80 ? 3 : 1}
          aria-label={way.hint}
          placeholder={way.hint}
          value={text}
          onChange={({ target }) => draft.set(target.value)}
          onKeyDown={sendOrLeave}
        />
        <Discard drafts={[draft]} />
        <button className="button min-h-8" disabled={way.isPending || (isNeeded && text.trim() === '')}>
          {way.verb}
        </button>
      </div>
    </form>
  );
}
