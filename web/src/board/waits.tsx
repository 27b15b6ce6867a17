import { lazy, Suspense, useMemo, useState, type ReactNode } from 'react';
import { later } from '../frame/later.ts';
import { Refused, Skeleton } from '../parts/empty.tsx';
import { Foreign } from '../parts/foreign.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark } from '../parts/status.tsx';
import { useCards, type Card, type Cards } from './cards.ts';
import { inColumns } from './columns.ts';
import { isOver } from './filter.ts';
import { useLink } from './queries.ts';
import { onEscape } from '../parts/leave-key.ts';

const Graph = lazy(later(async () => ({ default: (await import('./graph.tsx')).Graph })));
const OFFERED = 6;

/** Names a task that must come first: some of its title, and a choice. A circle is the hub's to refuse. */
export function WaitFor({ id }: Readonly<{ id: string }>): ReactNode {
  const { data: cards } = useCards();
  const link = useLink(id);
  const [text, setText] = useState<string | undefined>();
  const found = useMemo(() => offers(cards, id, text), [cards, id, text]);
  if (text === undefined)
    return (
      <button className="quiet mt-3 -ml-1.5" onClick={() => setText('')}>
        <Icon name="wait" size={12} />
        Blocked by…
      </button>
    );
  return (
    <div className="mt-3" onKeyDown={onEscape(() => setText(undefined))}>
      <input
        autoFocus
        className="field w-full"
        aria-label="A task that must come first"
        placeholder="Some of the title of what must come first"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <ul>
        {found.map((card) => (
          <li key={card.id}>
            <button
              className="row hover:bg-sunken w-full rounded px-2 text-left"
              onClick={() => link.mutate({ on: card.id }, { onSuccess: () => setText(undefined) })}
            >
              <StatusMark status={card.status} />
              <span className="truncate">
                <Foreign text={card.title} />
              </span>
            </button>
          </li>
        ))}
      </ul>
      <Refused error={link.error} />
    </div>
  );
}

function offers(cards: Cards | undefined, id: string, text: string | undefined): readonly Card[] {
  const own = cards?.get(id);
  if (!cards || !own || text === undefined || text.trim() === '') return [];
  const words = text.toLowerCase().split(/\s+/);
  const found: Card[] = [];
  for (const card of cards.values()) {
    if (card.id === id || isOver(card.status) || own.dependsOn.includes(card.id)) continue;
    const title = card.title.toLowerCase();
    if (words.every((word) => title.includes(word)) && found.push(card) === OFFERED) break;
  }
  return found;
}

/** Everything that this task waits for, and everything that waits for it, however far. */
export function TaskGraph({ id, onOpen }: Readonly<{ id: string; onOpen(id: string): void }>): ReactNode {
  const { data: cards } = useCards();
  const [isShown, setShown] = useState(false);
  const near = useMemo(() => neighbourhood(cards, id), [cards, id]);
  if (near.size < 3) return null;
  return (
    <details className="mt-3" onToggle={({ currentTarget }) => setShown(currentTarget.open)}>
      <summary className="section-title hover:text-ink">Graph of {near.size} tasks</summary>
      {isShown && (
        <Suspense fallback={<Skeleton rows={2} />}>
          <Graph cards={near} shown={inColumns([...near.values()])} openTask={id} onOpen={onOpen} />
        </Suspense>
      )}
    </details>
  );
}

const MOST = 80;

function neighbourhood(cards: Cards | undefined, id: string): Cards {
  const near = new Map<string, Card>();
  if (!cards?.has(id)) return near;
  const holds = new Map<string, string[]>();
  for (const card of cards.values())
    for (const on of card.dependsOn) holds.set(on, [...(holds.get(on) ?? []), card.id]);
  const walk = (next: (card: Card) => readonly string[]) => {
    const seen = new Set<string>();
    const open = [id];
    for (let at = open.pop(); at !== undefined && near.size < MOST; at = open.pop()) {
      const card = cards.get(at);
      if (!card || seen.has(at)) continue;
      seen.add(at);
      near.set(at, card);
      open.push(...next(card));
    }
  };
  walk((card) => card.dependsOn);
  walk((card) => holds.get(card.id) ?? []);
  return near;
}
