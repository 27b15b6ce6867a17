import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useAgents, useTeams } from '../agents/queries.ts';
import { useCards, type Card } from '../board/cards.ts';
import { Face } from '../parts/face.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { titleOf } from '../runs/title.ts';
import { Dialog } from './dialog.tsx';
import { useEverything } from './everything.ts';
import { useOpenTask, useSetPlace } from './place.ts';
import { met } from './fuzzy.ts';
import { recent, remember } from './recent.ts';
import { chooseTheme, isDark } from './theme.ts';
import { VIEWS } from './views.ts';

type Entry = Readonly<{
  id: string;
  group: string;
  text: string;
  mark: ReactNode;
  hint?: string;
  /** Further words it is found by. */
  also?: string;
  /** What it stands for, where it is shown again. */
  of?: string;
  run(): void;
}>;

type Verb = Readonly<{
  text: string;
  sign: IconName;
  also: string;
  hint?: string;
  to: string;
  search?: Readonly<Record<string, string>>;
}>;

/** What people type who want to do something. */
const VERBS: readonly Verb[] = [
  {
    text: 'Create a task',
    sign: 'plus',
    also: 'new add',
    hint: 'n on the board',
    to: '/board',
    search: { at: 'new' },
  },
  {
    text: 'Approve or deny what waits',
    sign: 'approvals',
    also: 'decide allow permission',
    to: '/approvals',
  },
  { text: 'Land a branch', sign: 'landing', also: 'merge ship', to: '/landing' },
  { text: 'Start a run', sign: 'runs', also: 'dispatch send agent', to: '/runs' },
  { text: 'Schedule something', sign: 'schedules', also: 'create cron every timer', to: '/schedules' },
  { text: 'Connect an agent', sign: 'agents', also: 'attach client install setup', to: '/settings' },
  { text: 'Create a token', sign: 'grants', also: 'settings credential key', to: '/settings' },
  {
    text: 'What is due',
    sign: 'schedules',
    also: 'overdue late deadline',
    to: '/board',
    search: { q: 'has:due open', order: 'due', view: 'list' },
  },
];

const SHOWN = 8;

/**
 * One box for everything: views, tasks, projects, things to do, and what every room remembers. An id that is pasted lands
 * on its task.
 */
export function Palette({ onClose, onKeys }: Readonly<{ onClose(): void; onKeys(): void }>): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const { entries, isLooking, problem } = useEntries(wanted, onClose, onKeys);
  const chosen = Math.min(at, entries.length - 1);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + entries.length) % Math.max(1, entries.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      entries[chosen]?.run();
    }
  };

  return (
    <Dialog label="Search or jump" onClose={onClose}>
      <div className="border-line flex items-center gap-2 border-b px-3">
        <Icon name="search" className="text-faint" />
        <input
          autoFocus
          value={text}
          onChange={({ target }) => (setText(target.value), setAt(0))}
          onKeyDown={onKeyDown}
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={entries[chosen] ? `found-${chosen}` : undefined}
          aria-label="Search tasks, agents, memory, rooms, mail, calls and views"
          placeholder="A task, an agent, a view, something to do, said or remembered…"
          className="placeholder:text-faint text-title h-12 min-w-0 flex-1 bg-transparent outline-none"
        />
      </div>
      <ul id="found" role="listbox" aria-label="Found" className="max-h-[52vh] overflow-y-auto p-1.5">
        {entries.map((entry, i) => (
          <li key={entry.id} role="presentation">
            {entries[i - 1]?.group !== entry.group && (
              <div className="section-title px-2 pt-2 pb-1">{entry.group}</div>
            )}
            <div
              id={`found-${i}`}
              role="option"
              aria-selected={i === chosen}
              onClick={entry.run}
              onMouseMove={() => setAt(i)}
              ref={(row) => void (i === chosen && row?.scrollIntoView({ block: 'nearest' }))}
              className={`row cursor-default rounded px-2 ${i === chosen ? 'bg-sunken' : ''}`}
            >
              {entry.mark}
              <span className="min-w-0 flex-1 truncate">
                <Foreign text={entry.text} />
              </span>
              {entry.hint && (
                <span className="text-meta text-faint max-w-[40%] shrink-0 truncate">
                  <Foreign text={entry.hint} />
                </span>
              )}
            </div>
          </li>
        ))}
      </ul>
      {problem && (
        <p className="text-amber px-4 py-3" role="status">
          {problem.says}
          {problem.meant !== undefined && ` Did you mean ${problem.meant}?`}
        </p>
      )}
      {entries.length === 0 && !problem && (
        <p className="text-soft px-4 py-3" role="status">
          {isLooking ? 'Looking…' : 'Nothing is called that, and nobody has said, remembered or called it.'}
        </p>
      )}
    </Dialog>
  );
}

function useEntries(wanted: string, onClose: () => void, onKeys: () => void) {
  const { data: cards } = useCards();
  const everything = useEverything(wanted);
  const teams = useTeams();
  const agents = useAgents(undefined);
  const [, openTask] = useOpenTask();
  const setPlace = useSetPlace();
  const navigate = useNavigate();

  const entries = useMemo((): readonly Entry[] => {
    const icon = (name: IconName) => <Icon name={name} size={15} className="text-soft" />;
    const then = (run: () => void) => () => (onClose(), run());
    const taskEntry = (card: Card): Entry => ({
      id: card.id,
      group: 'Tasks',
      text: card.title,
      mark: <StatusMark status={card.status} />,
      hint: card.assigneeAgentId ?? card.teamId ?? '',
      run: then(() => openTask(card.id)),
    });
    const tasks: Entry[] = [...(cards?.values() ?? [])]
      .flatMap((card) => {
        const isId = wanted.length > 2 && card.id.includes(wanted);
        const score = wanted === '' ? 0 : isId ? 9 : met(wanted, card.title);
        return score > 0 ? [{ card, score }] : [];
      })
      .sort(
        (a, b) =>
          b.score - a.score ||
          Number(isOver(a.card.status)) - Number(isOver(b.card.status)) ||
          b.card.updatedAt - a.card.updatedAt,
      )
      .slice(0, SHOWN)
      .map(({ card }) => taskEntry(card));
    const views = VIEWS.map(({ to, name, icon: sign, key }) => ({
      id: to,
      group: 'Go to',
      text: name,
      mark: icon(sign),
      hint: `g ${key}`,
      run: then(() => void navigate({ to })),
    }));
    const projects = teams.map(({ teamId, name }) => ({
      id: `project ${teamId}`,
      group: 'Projects',
      text: name,
      mark: icon('branch'),
      run: then(() => setPlace({ project: teamId }, true)),
    }));
    const people: Entry[] = agents.map(({ name, teamId, life, seats }) => ({
      id: `agent ${name} ${teamId ?? ''}`,
      group: 'Agents',
      text: name,
      mark: <Face name={name} client={seats[0]?.client} size={16} />,
      hint: life === 'gone' ? 'not connected' : (teamId ?? ''),
      run: then(() => void navigate({ to: '/agents', search: { at: name } })),
    }));
    const deeds: Entry[] = [
      ...VERBS.map(({ text, sign, also, hint, to, search }) => ({
        id: `do ${text}`,
        group: 'Do',
        text,
        also,
        mark: icon(sign),
        ...(hint !== undefined && { hint }),
        run: then(() => void navigate({ to, ...(search && { search }) })),
      })),
      {
        id: 'theme',
        group: 'Do',
        text: isDark() ? 'Light theme' : 'Dark theme',
        also: 'settings colour appearance',
        mark: icon(isDark() ? 'sun' : 'moon'),
        hint: 'D',
        run: then(() => chooseTheme(isDark() ? 'light' : 'dark')),
      },
      {
        id: 'keys',
        group: 'Do',
        text: 'Keys',
        also: 'keyboard shortcuts help',
        mark: icon('keys'),
        hint: '?',
        run: onKeys,
      },
    ];
    const { said, facts, files, posts, letters, calls, runs, sources, sessions } = everything;
    const named = new Set(tasks.map(({ id }) => id));
    const line = (text: string) => text.replace(/\s+/g, ' ').slice(0, 160);
    const found: Entry[] = [
      // What the titles above have not shown already.
      ...said
        .filter(({ kind, taskId }) => kind !== 'task' || !named.has(taskId))
        .map(({ kind, taskId, title, text, status }) => ({
          id: `${kind} ${taskId}`,
          group: 'Written on tasks',
          text: line(text),
          mark: <StatusMark status={status} />,
          hint: kind === 'task' ? status : `${kind}, ${title}`,
          run: then(() => openTask(taskId)),
        })),
      ...facts.map((fact) => ({
        id: fact.id,
        group: 'Memory',
        text: line(fact.title === '' ? fact.content : `${fact.title}: ${fact.content}`),
        mark: icon('memory'),
        run: then(
          () =>
            void navigate({
              to: '/memory',
              search: fact.kind === 'procedure' ? { view: 'procedures' } : { q: wanted, at: fact.id },
            }),
        ),
      })),
      ...posts.map(({ roomId, seq, authorAgentId, body }) => ({
        id: `${roomId}#${seq}`,
        group: 'Rooms',
        text: line(body),
        mark: icon('rooms'),
        hint: `${authorAgentId} in ${roomId.replace(/^team:/, '')}`,
        run: then(
          () => void navigate({ to: '/rooms/$roomId', params: { roomId }, search: { at: String(seq) } }),
        ),
      })),
      ...letters.map(({ id, from_agent, to_agent, text }) => ({
        id,
        group: 'Mail',
        text: line(text),
        mark: icon('mail'),
        hint: `${from_agent} to ${to_agent}`,
        run: then(() => void navigate({ to: '/mail', search: { at: from_agent, q: wanted } })),
      })),
      ...runs.map((run) => ({
        id: run.task_id,
        group: 'Runs',
        text: line(titleOf(run, cards)),
        mark: icon('runs'),
        hint: `${run.instance}, ${run.status}`,
        run: then(() => void navigate({ to: '/runs/$runId', params: { runId: run.task_id } })),
      })),
      ...sessions.map(({ sessionId, turn, text, client }) => ({
        id: `session ${sessionId} ${turn}`,
        group: 'Sessions',
        text: line(text),
        mark: icon('sessions'),
        hint: client,
        run: then(
          () =>
            void navigate({
              to: '/sessions/$sessionId',
              params: { sessionId },
              search: { at: String(turn) },
            }),
        ),
      })),
      ...files.map(({ id, name, snippet }) => ({
        id: `brain ${id}`,
        group: 'Brain',
        text: line(`${name}: ${snippet}`),
        mark: icon('brain'),
        run: then(() => void navigate({ to: '/brain', search: { at: id } })),
      })),
      ...calls.map(({ callId, toolName, agentId, argsSummary }) => ({
        id: callId,
        group: 'Calls',
        text: line(`${toolName} ${argsSummary ?? ''}`),
        mark: icon('audit'),
        hint: agentId ?? '',
        run: then(() => void navigate({ to: '/audit', search: { q: `call:${callId}` } })),
      })),
      ...sources.map(({ name, state }) => ({
        id: `source ${name}`,
        group: 'Sources',
        text: name,
        mark: icon('sources'),
        hint: state,
        run: then(() => void navigate({ to: '/sources/$name', params: { name } })),
      })),
    ];
    const known: readonly Entry[] = [...views, ...projects, ...people, ...deeds];
    const doable = known
      .map((entry) => ({ entry, score: met(wanted, `${entry.text} ${entry.also ?? ''}`) }))
      .filter(({ score }) => score > 0);
    // A verb that was typed is what is wanted: it stands above what merely has the word in it.
    const isDeed = doable.some(({ entry, score }) => wanted !== '' && entry.group === 'Do' && score >= 4);
    const shown = doable
      .filter(({ entry }) => wanted !== '' || entry.group !== 'Agents')
      .map(({ entry }) => entry);
    const first = shown.filter(({ group }) => isDeed && group === 'Do');
    const rest = shown.filter((entry) => !first.includes(entry));
    const again =
      wanted === ''
        ? recent().flatMap((id): Entry[] => {
            const card = cards?.get(id);
            const entry = card ? taskEntry(card) : known.find((each) => each.id === id);
            return entry ? [{ ...entry, id: `again ${id}`, group: 'Recent', of: id }] : [];
          })
        : [];
    const all: readonly Entry[] = [...again, ...first, ...tasks, ...rest, ...found];
    return all.map((entry) => ({
      ...entry,
      run: () => (remember(entry.of ?? entry.id), entry.run()),
    }));
  }, [cards, everything, teams, agents, wanted, onClose, onKeys, openTask, setPlace, navigate]);
  const { isLooking, problem } = everything;
  return { entries, isLooking, problem };
}

function isOver(status: string): boolean {
  return status === 'done' || status === 'cancelled';
}
