import type { ReactNode } from 'react';
import { Agent } from '../parts/agent.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import type { Collision } from './queries.ts';

type ListProps = Readonly<{ collisions: readonly Collision[]; onOpen(task: string): void }>;

/** Pairs of branches that do not go together; who was first stands first. */
export function CollisionList({ collisions, onOpen }: ListProps): ReactNode {
  return (
    <ul className="border-line border-t">
      {collisions.map((each) => (
        <li
          key={`${each.a.branch} ${each.b.branch}`}
          className="border-line flex flex-wrap items-center gap-x-3 gap-y-0.5 border-b px-4 py-2"
        >
          <Side side={each.a} onOpen={onOpen} />
          <Icon name="collision" size={13} className="text-amber shrink-0" />
          <Side side={each.b} onOpen={onOpen} />
          <Files files={each.files} />
        </li>
      ))}
    </ul>
  );
}

function Side({ side, onOpen }: Readonly<{ side: Collision['a']; onOpen(task: string): void }>): ReactNode {
  const { task, agent, branch } = side;
  return (
    <span className="flex min-w-0 items-center gap-2">
      {agent !== null && <Agent name={agent} />}
      <button
        className="min-w-0 truncate text-left font-mono text-[12px] underline-offset-2 hover:underline disabled:no-underline"
        disabled={task === null}
        onClick={() => task !== null && onOpen(task)}
      >
        <Foreign text={branch} />
      </button>
    </span>
  );
}

const MOST = 5;

export function Files({ files }: Pick<Collision, 'files'>): ReactNode {
  return (
    <span className="text-meta text-soft basis-full font-mono">
      {files.slice(0, MOST).map(({ path, ranges }, at) => (
        <span key={path} className="break-words">
          {at > 0 && ', '}
          <Foreign text={path} />
          {ranges.length > 0 &&
            `:${ranges.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(',')}`}
        </span>
      ))}
      {files.length > MOST && ` and ${files.length - MOST} more`}
    </span>
  );
}
