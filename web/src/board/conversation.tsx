import { useState, type ReactNode } from 'react';
import type { TaskDetail } from '../../../src/features/board/detail.ts';
import { Discard } from '../drafts/discard.tsx';
import { useDraft } from '../drafts/use-draft.ts';
import { Agent } from '../parts/agent.tsx';
import { Sentence } from '../now/sentence.tsx';
import { Section } from '../parts/drawer.tsx';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { isSendKey } from '../parts/send-key.ts';
import { Moment } from '../parts/time.tsx';
import { useComment, useHistory } from './queries.ts';
import { NamingTasks } from './task-word.tsx';

/** What was said about a task; what the hub noted stands between, unquoted. */
export function Conversation({ detail }: Readonly<{ detail: TaskDetail }>): ReactNode {
  const { comments, commentsTotal, task } = detail;
  const draft = useDraft(`task ${task.id} comment`);
  const { text } = draft;
  const comment = useComment(task.id);
  const send = () => {
    if (text.trim() !== '' && !comment.isPending) comment.mutate(text, { onSuccess: draft.forget });
  };
  return (
    <Section
      title="Conversation"
      aside={
        commentsTotal > comments.length && (
          <span className="text-meta text-faint">
            the newest {comments.length} of {commentsTotal}
          </span>
        )
      }
    >
      <ol className="flex flex-col gap-2.5">
        {comments.map(({ id, authorType, authorAgentId, body, createdAt }) =>
          authorType === 'system' ? (
            <li key={id} className="text-soft">
              <NamingTasks text={body} /> <Moment at={createdAt} />
            </li>
          ) : (
            <li key={id}>
              <Quoted
                by={
                  <>
                    <span className="text-ink font-medium">
                      {/* A face: no name that an agent gives itself looks like the person. */}
                      {authorType === 'user' ? 'You' : <Agent name={authorAgentId ?? 'somebody'} />}
                    </span>
                    <Moment at={createdAt} />
                  </>
                }
              >
                <Markdown text={body} />
              </Quoted>
            </li>
          ),
        )}
      </ol>
      <textarea
        id="comment"
        className="field mt-2 w-full"
        rows={2}
        aria-label="Comment"
        placeholder="Say something to whoever works on this…"
        value={text}
        onChange={({ target }) => draft.set(target.value)}
        onKeyDown={(event) => {
          if (isSendKey(event)) send();
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          event.currentTarget.blur();
        }}
      />
      {text !== '' && (
        <div className="mt-1 flex flex-wrap items-center justify-end gap-2">
          <Discard drafts={[draft]} />
          <kbd className="key">Ctrl ↵</kbd>
          <button className="button" onClick={send} disabled={comment.isPending}>
            Comment
          </button>
        </div>
      )}
      <Refused error={comment.error} />
    </Section>
  );
}

export function History({ id }: Readonly<{ id: string }>): ReactNode {
  const [isShown, setShown] = useState(false);
  const { data, error } = useHistory(id, isShown);
  return (
    <details className="mt-5" onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary className="section-title hover:text-ink">History</summary>
      <Refused error={error} />
      {isShown && !data && !error && <Skeleton rows={3} />}
      <ol className="mt-1">
        {data?.events.toReversed().map((event) => (
          <li key={event.seq} className="flex gap-2 py-0.5">
            <span className="w-24 shrink-0">
              <Moment at={event.at} />
            </span>
            <span className="min-w-0">
              <Sentence event={{ ...event, subject: id, realm: 'hub', hub: '' }} isAbout />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
