import { useState, type ReactNode } from 'react';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Agent } from '../parts/agent.tsx';
import { Diff } from '../parts/diff.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { sendOrLeave } from '../parts/send-or-leave.ts';
import { Moment } from '../parts/time.tsx';
import { useReply, type Thread } from './queries.ts';

/** What was said about some lines, and what was answered. What is settled is folded. */
export function ThreadView({
  thread,
  isOutdated = false,
}: Readonly<{ thread: Thread; isOutdated?: boolean }>): ReactNode {
  const isResolved = thread.resolvedAt !== null;
  const [isOpen, setOpen] = useState(!isResolved);
  const lines =
    thread.fromLine === thread.toLine
      ? `line ${thread.toLine}`
      : `lines ${thread.fromLine} to ${thread.toLine}`;
  if (!isOpen)
    return (
      <button className="quiet my-1" onClick={() => setOpen(true)}>
        <Icon name="tick" size={12} className="text-kelp" />
        Resolved: {thread.comments.length === 1 ? 'a comment' : `${thread.comments.length} comments`} on{' '}
        {lines}
      </button>
    );
  return (
    <section
      aria-label={`Comments on ${lines}`}
      className="border-line bg-raised my-1.5 max-w-[84ch] rounded-one border font-sans"
    >
      {isOutdated && (
        <p className="text-meta text-soft border-line border-b px-3 py-1.5">
          On {lines}, which has changed since:{' '}
          <code className="font-mono">
            <Foreign text={thread.quoted.slice(0, 200)} />
          </code>
        </p>
      )}
      <ol className="flex flex-col gap-3 px-3 py-2.5">
        {thread.comments.map(({ id, author, byPerson, body, suggestion, createdAt }) => (
          <li key={id}>
            <Quoted
              by={
                <>
                  <span className="text-ink font-medium">{byPerson ? 'You' : <Agent name={author} />}</span>
                  <Moment at={createdAt} />
                </>
              }
            >
              {body !== '' && <Markdown text={body} />}
              {suggestion !== null && (
                <div className="mt-1.5">
                  <p className="text-meta text-soft mb-1">Suggested instead</p>
                  <Diff before={thread.quoted} after={suggestion} label="Suggested change" />
                </div>
              )}
            </Quoted>
          </li>
        ))}
      </ol>
      <Answer thread={thread} isResolved={isResolved} onResolved={() => setOpen(false)} />
    </section>
  );
}

type AnswerProps = Readonly<{ thread: Thread; isResolved: boolean; onResolved(): void }>;

function Answer({ thread, isResolved, onResolved }: AnswerProps): ReactNode {
  const draft = useDraft(`review thread ${thread.id} reply`);
  const reply = useReply(thread.id);
  const send = (resolve?: boolean) =>
    !reply.isPending &&
    reply.mutate(
      { body: draft.text.trim(), ...(resolve !== undefined && { resolve }) },
      { onSuccess: () => (draft.forget(), resolve === true && onResolved()) },
    );
  return (
    <form
      className="border-line flex flex-col gap-2 border-t px-3 py-2"
      onSubmit={(event) => (event.preventDefault(), draft.text.trim() !== '' && send())}
    >
      <textarea
        className="field w-full"
        rows={draft.text.includes('\n') ? 3 : 1}
        aria-label="Reply"
        placeholder="Reply…"
        value={draft.text}
        onChange={({ target }) => draft.set(target.value)}
        onKeyDown={sendOrLeave}
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <Refused error={reply.error} />
        <Discard drafts={[draft]} />
        <button type="button" className="button" disabled={reply.isPending} onClick={() => send(!isResolved)}>
          {isResolved ? 'Open again' : draft.text.trim() === '' ? 'Resolve' : 'Reply and resolve'}
        </button>
        <button className="button" disabled={reply.isPending || draft.text.trim() === ''}>
          Reply
        </button>
      </div>
    </form>
  );
}
