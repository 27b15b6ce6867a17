import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { useLive } from '../live/live.ts';
import { Icon } from '../parts/icons.tsx';
import { Switch } from '../parts/page.tsx';
import { Clock, Moment } from '../parts/time.tsx';
import { useRuns } from '../runs/queries.ts';
import { Block } from './block.tsx';
import { Sentence } from './sentence.tsx';
import { entriesOf, type Entry, type Story } from './stories.ts';
import { isBad } from './told.ts';

const LOOKED = 'looked';
const SHOWN = 60;

type Which = 'new' | 'all' | 'bad';

/** In stories, newest first: what came since one was last here, all of it, or what stands out. */
export function Meanwhile({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { events } = useLive();
  const { data: runs } = useRuns();
  const [looked] = useState(
    () => JSON.parse(localStorage.getItem(LOOKED) ?? 'null') as { seq: number; at: number } | null,
  );
  const [chosen, setChosen] = useState<Which | undefined>();
  const taskOf = useCallback(
    (id: string) => runs?.tasks.find(({ task_id: run }) => run === id)?.board_task,
    [runs],
  );
  const entries = useMemo(() => {
    const here = events.filter(
      (event) => project === undefined || event.team === undefined || event.team === project,
    );
    return entriesOf(here.toReversed(), taskOf);
  }, [events, project, taskOf]);
  useEffect(() => {
    const remember = () => {
      const last = events.at(-1);
      if (last) localStorage.setItem(LOOKED, JSON.stringify({ seq: last.seq, at: Date.now() }));
    };
    addEventListener('pagehide', remember);
    return () => (remember(), removeEventListener('pagehide', remember));
  }, [events]);
  if (entries.length === 0) return null;
  const news = looked === null ? entries : entries.filter(({ seq }) => seq > looked.seq);
  const bad = entries.filter(isEntryBad);
  const which = chosen ?? (news.length > 0 && looked !== null ? 'new' : 'all');
  const shown = { new: news, all: entries, bad }[which];
  return (
    <Block
      title="What happened"
      aside={
        <span className="flex flex-wrap items-center gap-2">
          {which === 'new' && looked !== null && (
            <span>
              since you looked <Moment at={looked.at} />
            </span>
          )}
          <Switch
            label="Which"
            value={which}
            options={[
              ...(looked === null ? [] : [['new', 'Since I was here'] as const]),
              ['all', 'All'],
              ...(bad.length === 0 ? [] : [['bad', 'Stands out'] as const]),
            ]}
            onChange={(to) => setChosen(to)}
          />
        </span>
      }
    >
      {shown.length === 0 && <p className="text-soft">Nothing since you were here.</p>}
      <ol aria-label="What happened, newest first">
        {shown.slice(0, SHOWN).map((entry) => (
          <li key={'story' in entry ? entry.story.key : entry.seq} className="arrives">
            <div className="flex items-baseline gap-2 py-[3px]">
              <Clock at={entry.at} />
              {'story' in entry ? <Told story={entry.story} /> : <One entry={entry} />}
            </div>
          </li>
        ))}
      </ol>
    </Block>
  );
}

function isEntryBad(entry: Entry): boolean {
  return 'story' in entry ? entry.story.isBad : isBad(entry.event);
}

function One({ entry }: Readonly<{ entry: Extract<Entry, { event: unknown }> }>): ReactNode {
  const { event } = entry;
  return (
    <span className={`min-w-0 break-words ${isBad(event) ? 'text-amber' : ''}`}>
      <Sentence event={event} others={event.others} />
      {event.times > 1 && <span className="text-meta text-faint"> {event.times} times</span>}
    </span>
  );
}

/** One sentence with the result in it; the steps behind it are folded. */
function Told({ story }: Readonly<{ story: Story }>): ReactNode {
  const { lead, rest, events } = story;
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="min-w-0 flex-1">
      <span className={`break-words ${story.isBad ? 'text-amber' : ''}`}>
        <Sentence event={lead} />
        {rest}
      </span>{' '}
      <button
        className="text-meta text-faint hover:text-ink inline-flex items-center gap-0.5 px-1"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="right" size={10} className={isOpen ? 'rotate-90' : ''} />
        {events.length} steps
      </button>
      {isOpen && (
        <ol className="border-line my-1 ml-1 border-l pl-3">
          {events.map((event) => (
            <li key={event.seq} className="flex items-baseline gap-2 py-px">
              <Clock at={event.at} />
              <span className={`min-w-0 break-words ${isBad(event) ? 'text-amber' : 'text-soft'}`}>
                <Sentence event={event} isAbout={story.task !== undefined} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
