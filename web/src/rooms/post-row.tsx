import type { ReactNode } from 'react';
import type { Post } from '../../../src/features/chat/post.ts';
import { ApprovalCard } from '../approvals/card.tsx';
import { Mentioned } from '../approvals/mentioned.tsx';
import { NamingTasks } from '../board/task-word.tsx';
import { Agent } from '../parts/agent.tsx';
import { Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { Moment } from '../parts/time.tsx';

/** How the hub says that somebody waits for approval. */
const ASKS = /\(approval ([0-9a-f-]{36})\)\.$/;

export function PostRow({
  post: { seq, authorAgentId, kind, body, createdAt, asserted },
  isSought,
}: Readonly<{ post: Post; isSought: boolean }>): ReactNode {
  const about = { id: `post-${seq}`, ...(isSought && { 'aria-current': true as const }) };
  const wash = isSought ? 'bg-tide-wash rounded-one' : '';
  const asked = kind === 'system' ? ASKS.exec(body)?.[1] : undefined;
  if (asked !== undefined)
    return (
      <li {...about} className={wash}>
        <ApprovalCard id={asked} />
      </li>
    );
  if (kind === 'system') {
    const said = inWords(body);
    return (
      <li {...about} className={`text-soft flex items-baseline gap-2 ${wash}`}>
        <div className="min-w-0">
          {body.includes('\n') ? <Markdown text={said} /> : <NamingTasks text={said} />}
        </div>
        <Moment at={createdAt} className="ml-auto" />
      </li>
    );
  }
  return (
    <li {...about} className={wash}>
      <Quoted
        by={
          <>
            <span className="text-ink">
              {kind === 'user' ? <b className="font-medium">You</b> : <Agent name={authorAgentId} />}
            </span>
            {asserted && <span title="Named by an argument, not proven by a credential">says it is</span>}
            <Moment at={createdAt} />
          </>
        }
      >
        <Markdown text={body} />
      </Quoted>
      <Mentioned text={body} />
    </li>
  );
}

/** What the hub wrote of what happened on the board, for whoever reads it here. */
function inWords(body: string): string {
  return body
    .replace(/^(operator|local) /, 'You ')
    .replace(/^system /, 'The hub ')
    .replace(/^try-[0-9a-f]{6} /, 'A trial ')
    .replace(/\bin_(progress|review)\b/g, 'in $1')
    .replace(/\b(from|to) todo\b/g, '$1 to do');
}
