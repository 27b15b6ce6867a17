import type { ReactNode } from 'react';
import type { AgentView } from '../agents/queries.ts';
import type { Cards } from '../board/cards.ts';
import { useCreate } from '../board/queries.ts';
import { Agent } from '../parts/agent.tsx';
import { Command, Refused } from '../parts/empty.tsx';
import { Mark } from '../parts/icons.tsx';

const SAMPLE = {
  title: 'Say hello to the harbour',
  description:
    'A first task, to see how it goes: claim it, comment with one sentence about the project you are in, and finish it.',
} as const;

/** The first agent is here and the board is empty: one task to try it with, and what to tell the agent. */
export function Greeting({
  cards,
  agents,
}: Readonly<{ cards: Cards; agents: readonly AgentView[] }>): ReactNode {
  const create = useCreate();
  const first = agents.find(({ life }) => life !== 'gone');
  const [only] = cards.values();
  const isWaiting = cards.size === 1 && only!.status === 'todo' && only!.assigneeAgentId === null;
  if (!first || (cards.size > 0 && !isWaiting)) return null;
  const put = () => create.mutate({ ...SAMPLE, ...(first.teamId !== null && { teamId: first.teamId }) });
  return (
    <section aria-label="The first agent" className="border-line mb-6 flex gap-4 border-b pb-5">
      <Mark size={36} />
      <div className="flex min-w-0 flex-col items-start gap-2">
        <h2 className="text-title font-semibold" aria-live="polite">
          <Agent name={first.name} life={first.life} /> is here
          {first.teamId !== null && <span className="text-soft font-normal">, in {first.teamId}</span>}
        </h2>
        {isWaiting ? (
          <>
            <p className="text-soft">A task waits on the board. Tell it, in its own window:</p>
            <Command text="Claim the next task on the board and do it." />
          </>
        ) : (
          <>
            <p className="text-soft max-w-[60ch]">
              The board is empty. Put a small task on it and let the agent claim it: you will see it move.
            </p>
            <button className="button button-main" onClick={put} disabled={create.isPending}>
              Put a sample task on the board
            </button>
            <Refused error={create.error} />
          </>
        )}
      </div>
    </section>
  );
}
