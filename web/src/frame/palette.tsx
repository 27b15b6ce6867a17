import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import { useTeams } from '../agents/queries.ts';
import { useCards } from '../board/cards.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Dialog } from './dialog.tsx';
import { useEverything } from './everything.ts';
import { useOpenTask, useSetPlace } from './place.ts';
import { chooseTheme, isDark } from './theme.ts';
import { VIEWS } from './views.ts';

type Entry = Readonly<{
  id: string;
  group: string;
  text: string;
  mark: ReactNode;
  hint?: string;
  run(): void;
}>;

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
          aria-label="Search tasks, memory, rooms, mail, calls and views"
          placeholder="A task, a view, something said, remembered or called…"
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
  const [, openTask] = useOpenTask();
  const setPlace = useSetPlace();
  const navigate = useNavigate();

  const entries = useMemo((): readonly Entry[] => {
    const icon = (name: IconName) => <Icon name={name} size={15} className="text-soft" />;
    const then = (run: () => void) => () => (onClose(), run());
    const tasks: Entry[] = [...(cards?.values() ?? [])]
      .filter(
        ({ title, id }) =>
          wanted !== '' &&
          (title.toLowerCase().includes(wanted) || (wanted.length > 3 && id.includes(wanted))),
      )
      .sort((a, b) => Number(isOver(a.status)) - Number(isOver(b.status)) || b.updatedAt - a.updatedAt)
      .slice(0, SHOWN)
      .map((card) => ({
        id: card.id,
        group: 'Tasks',
        text: card.title,
        mark: <StatusMark status={card.status} />,
        hint: card.assigneeAgentId ?? card.teamId ?? '',
        run: then(() => openTask(card.id)),
      }));
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
    const deeds: Entry[] = [
      {
        id: 'new',
        group: 'Do',
        text: 'New task',
        mark: icon('plus'),
        hint: 'n on the board',
        run: then(() => void navigate({ to: '/board', search: { view: 'new' } })),
      },
      {
        id: 'theme',
        group: 'Do',
        text: isDark() ? 'Light theme' : 'Dark theme',
        mark: icon(isDark() ? 'sun' : 'moon'),
        hint: 'D',
        run: then(() => chooseTheme(isDark() ? 'light' : 'dark')),
      },
      { id: 'keys', group: 'Do', text: 'Keys', mark: icon('keys'), hint: '?', run: onKeys },
    ];
    const { said, facts, files, posts, letters, calls, runs, sources } = everything;
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
        text: line(run.last_message ?? run.task_id),
        mark: icon('runs'),
        hint: `${run.instance}, ${run.status}`,
        run: then(() => void navigate({ to: '/runs/$runId', params: { runId: run.task_id } })),
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
    const doable = [...views, ...projects, ...deeds].filter(({ text }) =>
      text.toLowerCase().includes(wanted),
    );
    return [...tasks, ...doable, ...found];
  }, [cards, everything, teams, wanted, onClose, onKeys, openTask, setPlace, navigate]);
  const { isLooking, problem } = everything;
  return { entries, isLooking, problem };
}

function isOver(status: string): boolean {
  return status === 'done' || status === 'cancelled';
}
