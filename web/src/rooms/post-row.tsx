import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Post } from '../../../src/features/chat/post.ts';
import { ApprovalCard } from '../approvals/card.tsx';
import { Mentioned } from '../approvals/mentioned.tsx';
import { useCards } from '../board/cards.ts';
import { Foreign, Quoted } from '../parts/foreign.tsx';
import { Markdown } from '../parts/markdown.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Moment } from '../parts/time.tsx';
import type { Search } from '../router.tsx';

/** How the hub says that somebody waits for approval. */
const ASKS = /\(approval ([0-9a-f-]{36})\)\.$/;
/** How the hub names a task in a room. */
const TASK = /“[^”]*” \(task ([0-9a-f-]{36})\)/;

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
    const [before = '', id, after = ''] = body.split(TASK);
    return (
      <li {...about} className={`text-soft flex items-baseline gap-2 ${wash}`}>
        <span className="min-w-0">
          <Foreign text={before.replace(/^(operator|local) /, 'You ')} />
          {id !== undefined && <TaskWord id={id} />}
          <Foreign text={after.replaceAll('in_', 'in ')} />
        </span>
        <Moment at={createdAt} className="ml-auto" />
      </li>
    );
  }
  return (
    <li {...about} className={wash}>
      <Quoted
        by={
          <>
            <span className="text-ink font-medium">
              {kind === 'user' ? 'You' : <Foreign text={authorAgentId} />}
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

/** A task within a sentence: as it is now, and one step away. */
function TaskWord({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const card = cards?.get(id);
  if (!card) return <>a task that is gone</>;
  return (
    <Link
      to="."
      search={(before: Search) => ({ ...before, task: id })}
      className="text-tide decoration-edge underline underline-offset-2 hover:decoration-current"
    >
      <span className="mr-1 inline-block translate-y-[2px]">
        <StatusMark status={card.status} size={12} />
      </span>
      <Foreign text={card.title.slice(0, 120)} />
    </Link>
  );
}
