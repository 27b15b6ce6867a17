import type { ReactNode } from 'react';
import type { Relative, TaskDetail } from '../../../src/features/board/detail.ts';
import { Section } from '../parts/drawer.tsx';
import { Refused } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { useLink, useReservations } from './queries.ts';
import { TaskGraph, WaitFor } from './waits.tsx';
import { CardName } from './card.tsx';

/** What it waits for, what waits for it, and what it is made of. */
export function Relatives({
  detail,
  onOpen,
}: Readonly<{ detail: TaskDetail; onOpen(id: string): void }>): ReactNode {
  const link = useLink(detail.task.id);
  const lists = [
    { title: 'Blocked by', found: detail.dependencies, isOwn: true },
    { title: 'Blocks', found: detail.dependents, isOwn: false },
    { title: 'Parts', found: detail.children, isOwn: false },
  ];
  return (
    <>
      {lists
        .filter(({ found }) => found.length > 0)
        .map(({ title, found, isOwn }) => (
          <Section key={title} title={title}>
            <ul>
              {found.map((other: Relative) => (
                <li key={other.id} className="row">
                  <StatusMark status={other.status} />
                  <CardName card={other} onOpen={onOpen} />
                  {isOwn && (
                    <button
                      className="quiet ml-auto shrink-0"
                      onClick={() => link.mutate({ on: other.id, isOff: true })}
                      aria-label={`Not blocked by ${other.title} any more`}
                      title="Not blocked by it any more"
                    >
                      <Icon name="close" size={13} />
                    </button>
                  )}
                </li>
              ))}
            </ul>
            <Refused error={link.error} />
          </Section>
        ))}
      <TaskGraph id={detail.task.id} onOpen={onOpen} />
      {detail.task.completedAt === null && <WaitFor id={detail.task.id} />}
    </>
  );
}

export function Files({ id }: Readonly<{ id: string }>): ReactNode {
  const { data } = useReservations(id);
  if (!data || data.reservations.length === 0) return null;
  return (
    <Section title="Files it works on">
      <ul>
        {data.reservations.map(({ id: key, pattern, reason, exclusive }) => (
          <li key={key} className="row">
            <code className="font-mono text-[12px]">
              <Foreign text={pattern} />
            </code>
            <span className="text-meta text-faint truncate">
              {exclusive ? 'alone' : 'with others'} {reason && <Foreign text={reason} />}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
