import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useLive } from '../live/live.ts';
import { Clock, Moment } from '../parts/time.tsx';
import { Block } from './block.tsx';
import { folded } from './folded.ts';
import { Sentence } from './sentence.tsx';
import { isBad, isTold } from './told.ts';

const LOOKED = 'looked';
const SHOWN = 80;

/** In sentences, newest first, with a mark where one last looked. */
export function Meanwhile({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { events } = useLive();
  const [looked] = useState(
    () => JSON.parse(localStorage.getItem(LOOKED) ?? 'null') as { seq: number; at: number } | null,
  );
  const told = useMemo(() => {
    const here = events.filter(
      (event) =>
        isTold(event) && (project === undefined || event.team === undefined || event.team === project),
    );
    return folded(here.toReversed());
  }, [events, project]);
  useEffect(() => {
    const remember = () => {
      const last = events.at(-1);
      if (last) localStorage.setItem(LOOKED, JSON.stringify({ seq: last.seq, at: Date.now() }));
    };
    addEventListener('pagehide', remember);
    return () => (remember(), removeEventListener('pagehide', remember));
  }, [events]);
  if (told.length === 0) return null;
  const isMarked =
    looked !== null && told.some(({ seq }) => seq > looked.seq) && told.some(({ seq }) => seq <= looked.seq);
  return (
    <Block
      title={
        isMarked ? (
          <>
            Since you looked <Moment at={looked.at} />
          </>
        ) : (
          'What happened'
        )
      }
    >
      <ol aria-label="What happened, newest first">
        {told.slice(0, SHOWN).map((event, at) => (
          <li key={event.seq} className="arrives">
            {isMarked && event.seq <= looked.seq && (told[at - 1]?.seq ?? Infinity) > looked.seq && (
              <div className="text-meta text-faint my-1 flex items-center gap-2">
                <span className="bg-line h-px flex-1" /> seen before <span className="bg-line h-px flex-1" />
              </div>
            )}
            <div className="flex items-baseline gap-2 py-[3px]">
              <Clock at={event.at} />
              <span className={`min-w-0 break-words ${isBad(event) ? 'text-amber' : ''}`}>
                <Sentence event={event} others={event.others} />
                {event.times > 1 && <span className="text-meta text-faint"> {event.times} times</span>}
              </span>
            </div>
          </li>
        ))}
      </ol>
    </Block>
  );
}
