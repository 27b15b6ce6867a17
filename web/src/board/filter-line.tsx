import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { complete, parseFilter } from './filter.ts';
import type { Cards } from './cards.ts';

/** A line of text with completion. `onChange` hears of it a moment after the last key. */
export function FilterLine({
  value,
  cards,
  onChange,
  focusKey,
}: Readonly<{ value: string; cards: Cards; onChange(text: string): void; focusKey: number }>): ReactNode {
  const [text, setText] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const field = useRef<HTMLInputElement>(null);
  const sent = useRef(value);
  const options = isOpen ? complete(text, cards) : [];
  const [problem] = parseFilter(value).problems;

  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text === sent.current) return undefined;
    const timer = setTimeout(() => {
      sent.current = text;
      onChange(text);
    }, 120);
    return () => clearTimeout(timer);
  }, [text, onChange]);
  useEffect(() => {
    if (focusKey > 0) field.current?.focus();
  }, [focusKey]);

  const take = (option: string) => {
    setText(option.endsWith(':') ? option : `${option} `);
    setAt(-1);
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      setOpen(true);
      const count = options.length + 1;
      setAt(((at + 1 + (event.key === 'ArrowDown' ? 1 : -1) + count) % count) - 1);
    } else if ((event.key === 'Enter' || event.key === 'Tab') && options[at] !== undefined) {
      event.preventDefault();
      take(options[at]);
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      if (options.length > 0) setOpen(false);
      else field.current?.blur();
    }
  };

  return (
    <div className="relative min-w-0 flex-1 basis-full sm:max-w-lg sm:basis-48">
      <Icon name="search" size={14} className="text-faint pointer-events-none absolute top-[9px] left-2.5" />
      <input
        ref={field}
        value={text}
        spellCheck={false}
        onChange={({ target }) => (setText(target.value), setOpen(true), setAt(-1))}
        onFocus={() => setOpen(true)}
        onBlur={() => setTimeout(() => setOpen(false), 150)}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-label="Filter"
        aria-expanded={options.length > 0}
        aria-controls="filter-options"
        aria-activedescendant={at >= 0 ? `filter-${at}` : undefined}
        placeholder="ready  agent:codex*  due<7d  -word  words…"
        className="field w-full pr-7 pl-7.5 font-mono text-[12px]"
      />
      {problem && options.length === 0 && (
        <p role="status" className="text-amber text-meta absolute top-9 left-0 z-20">
          {problem.says}
          {problem.meant !== undefined && ` Did you mean ${problem.meant}?`}
        </p>
      )}
      {text !== '' && (
        <button
          className="quiet absolute top-1 right-1"
          onClick={() => setText('')}
          aria-label="Clear the filter"
        >
          <Icon name="close" size={13} />
        </button>
      )}
      <ul
        id="filter-options"
        role="listbox"
        aria-label="Completions"
        hidden={options.length === 0}
        className="arrives bg-raised border-edge shadow-drawer absolute top-9 left-0 z-30 min-w-56 rounded-one border p-1 font-mono text-[12px]"
      >
        {options.map((option, i) => (
          <li
            key={option}
            id={`filter-${i}`}
            role="option"
            aria-selected={i === at}
            onMouseDown={(event) => (event.preventDefault(), take(option))}
            className={`cursor-default rounded px-2 py-1 ${i === at ? 'bg-chosen' : 'hover:bg-sunken'}`}
          >
            {option}
          </li>
        ))}
      </ul>
    </div>
  );
}
