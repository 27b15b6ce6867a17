import type { ReactNode } from 'react';
import { useAgents, useSeats } from '../agents/queries.ts';
import { useCards } from '../board/cards.ts';
import { useProject, useSetPlace } from '../frame/place.ts';
import { useWaiting } from '../frame/use-waiting.ts';
import { useLive } from '../live/live.ts';
import { View, ViewUnready } from '../parts/page.tsx';
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
  const elsewhere = useWaiting(undefined);
  const unseen = useUnseen(project);
  const { events } = useLive();
  if (!cards || !seats) return <ViewUnready rows={8} />;
  const hasCome = seats.seats.length > 0 || events.some(({ kind }) => kind === 'seat.taken');
  if (cards.size === 0 && !hasCome && waiting.count === 0 && unseen.length === 0) return <Welcome />;
  return (
    <View title="Now" about={ABOUT} isWide>
      <div className={COLUMNS}>
        <div className="min-w-0">
          <Greeting cards={cards} agents={agents} />
          <ForYou waiting={waiting} />
          <Elsewhere count={elsewhere.count - waiting.count} />
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
        </div>
        <div className="min-w-0">
          <Meanwhile project={project} />
        </div>
      </div>
    </View>
  );
}

/** A project that is chosen hides what waits in the others: it does not silence it. */
function Elsewhere({ count }: Readonly<{ count: number }>): ReactNode {
  const setPlace = useSetPlace();
  if (count <= 0) return null;
  return (
    <p className="text-soft mb-4">
      {count.toLocaleString()} {count === 1 ? 'thing waits' : 'things wait'} for you elsewhere.{' '}
      <button className="in-words" onClick={() => setPlace({ project: undefined }, true)}>
        Show all projects
      </button>
    </p>
  );
}

const ABOUT = 'Who waits for you, what your agents do, and what became of it.';
/** Beside each other where there is room for both. */
const COLUMNS =
  'grid w-full max-w-5xl gap-x-10 px-4 pt-4 @min-[1180px]/list:max-w-[1900px] @min-[1180px]/list:grid-cols-[minmax(0,3fr)_minmax(0,2fr)] @min-[1800px]/list:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]';
