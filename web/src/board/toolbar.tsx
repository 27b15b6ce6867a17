import type { ReactNode } from 'react';
import { useDrafts } from '../drafts/use-draft.ts';
import { usePlace, useSetPlace } from '../frame/place.ts';
import { Icon } from '../parts/icons.tsx';
import type { Cards } from './cards.ts';
import { FilterLine } from './filter-line.tsx';
import { LANES } from './lanes.tsx';
import { NEW_TASK } from './new-task.tsx';

/** The filter, how the board is laid out, and a new task; below it what is being done with what is picked. */
export function Toolbar({
  cards,
  focusFilter,
  children,
}: Readonly<{ cards: Cards; focusFilter: number; children: ReactNode }>): ReactNode {
  const { q = '', view, lanes } = usePlace();
  const setPlace = useSetPlace();
  const isBegun = useDrafts(NEW_TASK).size > 0;
  const toggle = (name: string) => setPlace({ view: view === name ? undefined : name });
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-2">
      <FilterLine
        value={q}
        cards={cards}
        focusKey={focusFilter}
        onChange={(text) => setPlace({ q: text === '' ? undefined : text })}
      />
      {view !== 'graph' && view !== 'archived' && (
        <select
          className="field min-h-7! py-0.5!"
          aria-label="Lanes"
          value={lanes ?? ''}
          onChange={({ target }) => setPlace({ lanes: target.value === '' ? undefined : target.value })}
        >
          <option value="">No lanes</option>
          {LANES.map((kind) => (
            <option key={kind} value={kind}>
              {`By ${kind}`}
            </option>
          ))}
        </select>
      )}
      <button className="button" aria-pressed={view === 'graph'} onClick={() => toggle('graph')}>
        <Icon name={view === 'graph' ? 'board' : 'graph'} size={14} />
        {view === 'graph' ? 'Columns' : 'Graph'}
      </button>
      <button className="button" aria-pressed={view === 'archived'} onClick={() => toggle('archived')}>
        {view === 'archived' ? 'Board' : 'Archived'}
      </button>
      <button className="button" onClick={() => setPlace({ view: 'new' })}>
        <Icon name="plus" size={14} />
        {isBegun ? 'Go on with the new task' : 'New'}
        <kbd className="key hidden sm:inline">n</kbd>
      </button>
      {children}
    </div>
  );
}
