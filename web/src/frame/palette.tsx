import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { SearchAnswer } from '../../../src/features/memory/fact.ts';
import { useTeams } from '../agents/queries.ts';
import { call, query } from '../api/call.ts';
import { useCards } from '../board/cards.ts';
import { Foreign } from '../parts/foreign.tsx';
import { Icon, type IconName } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { Dialog } from './dialog.tsx';
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

/** One box for everything: views, tasks, projects, memory, things to do. An id that is pasted lands on its task. */
export function Palette({ onClose, onKeys }: Readonly<{ onClose(): void; onKeys(): void }>): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const wanted = useDeferredValue(text.trim().toLowerCase());
  const entries = useEntries(wanted, onClose, onKeys);
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
          aria-label="Search tasks, memory and views"
          placeholder="A task, a view, a project, something remembered…"
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
              {entry.hint && <span className="text-meta text-faint shrink-0">{entry.hint}</span>}
            </div>
          </li>
        ))}
      </ul>
      {entries.length === 0 && (
        <p className="text-soft px-4 py-3">Nothing is called that, and nothing remembered mentions it.</p>
      )}
    </Dialog>
  );
}

function useEntries(wanted: string, onClose: () => void, onKeys: () => void): readonly Entry[] {
  const { data: cards } = useCards();
  const { data: memory } = useQuery({
    queryKey: ['memory', 'palette', wanted],
    enabled: wanted.length > 2,
    queryFn: ({ signal }) =>
      call<SearchAnswer>(`/api/memory/search${query({ query: wanted.slice(0, 200), limit: 4 })}`, { signal }),
  });
  const teams = useTeams();
  const [, openTask] = useOpenTask();
  const setPlace = useSetPlace();
  const navigate = useNavigate();

  return useMemo(() => {
    const icon = (name: IconName) => <Icon name={name} size={15} className="text-soft" />;
    const then = (run: () => void) => () => (onClose(), run());
    const tasks: Entry[] = [...(cards?.values() ?? [])]
      .filter(
        ({ title, id }) => wanted !== '' && (title.toLowerCase().includes(wanted) || id.startsWith(wanted)),
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
    const facts: Entry[] = (wanted.length > 2 ? (memory?.results ?? []) : []).map((fact) => ({
      id: fact.id,
      group: 'Memory',
      text: fact.title || fact.content.slice(0, 120),
      mark: icon('memory'),
      run: then(() => void navigate({ to: '/memory', search: { q: wanted, at: fact.id } })),
    }));
    const named = [...views, ...projects, ...deeds].filter(({ text }) => text.toLowerCase().includes(wanted));
    return [...tasks, ...named, ...facts];
  }, [cards, memory, teams, wanted, onClose, onKeys, openTask, setPlace, navigate]);
}

function isOver(status: string): boolean {
  return status === 'done' || status === 'cancelled';
}
