import { useCallback, useEffect, useMemo, useState, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { useCards, type Cards } from '../board/cards.ts';
import { useLive } from '../live/live.ts';
import type { HubEvent } from '../live/stream.ts';
import { Icon } from '../parts/icons.tsx';
import { Switch } from '../parts/page.tsx';
import { Project } from '../parts/project.tsx';
import { Clock, Moment } from '../parts/time.tsx';
import { useReview } from '../review/queries.ts';
import { useRuns, type Run } from '../runs/queries.ts';
import { titleOf } from '../runs/title.ts';
import { Block } from './block.tsx';
import { Sentence } from './sentence.tsx';
import { entriesOf, type Entry, type Story } from './stories.ts';
import { isBad, told } from './told.ts';
import { isOf } from '../frame/of-project.ts';

const LOOKED = 'looked';
const SHOWN = 60;

type Which = 'new' | 'all' | 'bad';

/** In stories, newest first: what came since one was last here, all of it, or what stands out. */
export function Meanwhile({ project }: Readonly<{ project: string | undefined }>): ReactNode {
  const { events } = useLive();
  const { data: runs } = useRuns();
  const { data: cards } = useCards();
  const [looked] = useState(
    () => JSON.parse(localStorage.getItem(LOOKED) ?? 'null') as { seq: number; at: number } | null,
  );
  const [chosen, setChosen] = useState<Which | undefined>();
  const taskOf = useCallback(
    (id: string) => runs?.tasks.find(({ task_id: run }) => run === id)?.board_task,
    [runs],
  );
  const entries = useMemo(() => {
    const projectOf = (event: HubEvent) =>
      event.team ?? cards?.get(taskOf(event.subject) ?? event.subject)?.teamId;
    const here = events.filter((event) => isOf(project, projectOf(event)));
    return entriesOf(here.toReversed(), taskOf);
  }, [events, project, taskOf, cards]);
  const [words, setWords] = useState('');
  const isWanted = useMemo(() => searching(words, cards, runs?.tasks), [words, cards, runs]);
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
  const shown = { new: news, all: entries, bad }[which].filter(isWanted);
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
          <input
            type="search"
            className="field min-h-7! w-40 py-0.5!"
            aria-label="Filter what happened"
            placeholder="Agent, task, tool…"
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
          {(looked !== null || bad.length > 0) && (
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
          )}
        </span>
      }
    >
      {shown.length === 0 && (
        <p className="text-soft" role="status">
          {words === '' ? 'Nothing since you were here.' : 'Nothing that happened has these words in it.'}
        </p>
      )}
      <ol aria-label="What happened, newest first">
        {shown.slice(0, SHOWN).map((entry) => (
          <li key={'story' in entry ? entry.story.key : entry.seq} className="arrives">
            <div className="flex items-baseline gap-2 py-[3px]">
              <Clock at={entry.at} />
              {'story' in entry ? <Told story={entry.story} /> : <One entry={entry} />}
              {project === undefined && <Where team={teamOf(entry)} />}
            </div>
          </li>
        ))}
      </ol>
    </Block>
  );
}

const eventsOf = (entry: Entry): readonly HubEvent[] =>
  'story' in entry ? entry.story.events : [entry.event];

const teamOf = (entry: Entry) => eventsOf(entry).find(({ team }) => team !== undefined)?.team;

/** By what stands in the line: who, what was done, the task or the run, the tool, the project. */
function searching(
  words: string,
  cards: Cards | undefined,
  runs: readonly Run[] = [],
): (entry: Entry) => boolean {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return () => true;
  const titles = new Map(runs.map((run) => [run.task_id, titleOf(run, cards)]));
  return (entry) => {
    const texts = eventsOf(entry).flatMap((event) => [
      told(event)?.replaceAll(/\{\w+\}/g, '') ?? '',
      event.actor.id,
      event.team ?? '',
      event.subject,
      cards?.get(event.subject)?.title ?? titles.get(event.subject) ?? '',
      ...Object.values(event.data ?? {}).map((value) =>
        typeof value === 'string' ? (cards?.get(value)?.title ?? value) : '',
      ),
    ]);
    const text = texts.join(' ').toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
}

function Where({ team }: Readonly<{ team: string | undefined }>): ReactNode {
  if (team === undefined) return null;
  return (
    <span className="text-meta text-faint ml-auto hidden max-w-32 shrink-0 pl-2 sm:flex">
      <Project id={team} />
    </span>
  );
}

function isEntryBad(entry: Entry): boolean {
  return 'story' in entry ? entry.story.isBad : isBad(entry.event);
}

function One({ entry }: Readonly<{ entry: Extract<Entry, { event: unknown }> }>): ReactNode {
  const { event } = entry;
  return (
    <span className={`min-w-0 break-words ${isBad(event) ? 'text-amber' : ''}`}>
      <Sentence event={event} others={event.others} isCut={event.isCut === true} />
      {event.times > 1 && <span className="text-meta text-faint"> {event.times} times</span>}
    </span>
  );
}

const waitsForReview = ({ kind, data }: HubEvent) =>
  kind === 'task.status_changed' && data?.['to'] === 'in_review';

/** How much is to be looked at, and the way there. */
function Changed({ task }: Readonly<{ task: string }>): ReactNode {
  const { data: cards } = useCards();
  const card = cards?.get(task);
  const isThere = card?.status === 'in_review' && card.branchRef !== null;
  const { data: review } = useReview(task, false, isThere);
  if (!isThere || !review) return null;
  const { length } = review.files;
  return (
    <>
      {' of '}
      <Link to="/review/$reviewId" params={{ reviewId: task }} className="text-tide hover:underline">
        {length === 1 ? '1 file' : `${length} files`}
      </Link>
    </>
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
        {waitsForReview(lead) && story.task !== undefined && <Changed task={story.task} />}
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
