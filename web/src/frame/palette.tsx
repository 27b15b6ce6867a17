import { useDeferredValue, useLayoutEffect, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { Dialog } from './dialog.tsx';
import { useEntries } from './entries.tsx';
import { takeTyped } from './typed-ahead.ts';

/**
 * One box for everything: views, tasks, projects, things to do, and what every room remembers. An id that is pasted lands
 * on its task.
 */
export function Palette({ onClose, onKeys }: Readonly<{ onClose(): void; onKeys(): void }>): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  // It has the focus by now.
  useLayoutEffect(() => setText(takeTyped()), []);
  const typed = useDeferredValue(text.trim());
  const { entries, isLooking, problem } = useEntries(typed, onClose, onKeys);
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
              className={`row cursor-default rounded px-2 ${i === chosen ? 'bg-chosen' : ''}`}
            >
              {entry.mark}
              <span className="min-w-0 flex-1 truncate">
                <Foreign text={entry.text} />
              </span>
              {entry.hint && (
                <span
                  className={`text-meta text-faint max-w-[40%] shrink-0 truncate ${/^g .$/.test(entry.hint) ? 'max-sm:hidden' : ''}`}
                >
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
