import type { ReactNode } from 'react';
import { useAgents, useSeats } from '../agents/queries.ts';
import { useCards } from '../board/cards.ts';
import { useProject } from '../frame/place.ts';
import { useWaiting } from '../frame/use-waiting.ts';
import { useLive } from '../live/live.ts';
import { Skeleton } from '../parts/empty.tsx';
import { markSeen, useUnseen } from '../trouble/trouble.ts';
import { Troubles } from '../trouble/troubles.tsx';
import { AgentsNow } from './agents-now.tsx';
import { Block } from './block.tsx';
import { BudgetNow } from './budget-now.tsx';
import { Finished } from './finished.tsx';
import { ForYou } from './for-you.tsx';
import { Greeting } from './greeting.tsx';
import { Meanwhile } from './meanwhile.tsx';
import { Welcome } from './welcome.tsx';

const SHOWN = 12;

/** Does anyone wait for me? What went wrong? What are they doing? What happened meanwhile? In this order. */
export function NowPage(): ReactNode {
  const project = useProject();
  const { data: cards } = useCards();
  const { data: seats } = useSeats();
  const agents = useAgents(project);
  const waiting = useWaiting(project);
  const unseen = useUnseen(project);
  const { events } = useLive();
  if (!cards || !seats) return <Skeleton rows={8} />;
  const hasCome = seats.seats.length > 0 || events.some(({ kind }) => kind === 'seat.taken');
  if (cards.size === 0 && !hasCome && waiting.count === 0 && unseen.length === 0) return <Welcome />;
  return (
    <div className="mx-auto w-full max-w-5xl px-4 py-4">
      <h1 className="sr-only">Now</h1>
      <Greeting cards={cards} agents={agents} />
      <ForYou waiting={waiting} />
      {unseen.length > 0 && (
        <Block
          title={<span className="text-amber">Refused, failed or lost</span>}
          aside={
            <button className="quiet" onClick={markSeen}>
              I have seen this
            </button>
          }
        >
          <Troubles troubles={unseen.slice(0, SHOWN)} />
          {unseen.length > SHOWN && <p className="text-soft pt-1">and {unseen.length - SHOWN} more</p>}
        </Block>
      )}
      <AgentsNow agents={agents} project={project} />
      <BudgetNow />
      <Finished project={project} />
      <Meanwhile project={project} />
    </div>
  );
}
