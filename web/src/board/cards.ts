import { useQuery } from '@tanstack/react-query';
import type { Card } from '../../../src/features/board/people/cards.ts';
import { ask, askUntil } from '../api/call.ts';
import { queryClient } from '../api/client.ts';

export type { Card };

/** The whole board by id. What changes is fetched alone and put in its place. */
export type Cards = ReadonlyMap<string, Card>;

const KEY = ['cards'] as const;
const AT_ONCE = 200;

export function useCards() {
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => fetchAll(signal), structuralSharing: false });
}

export function useMoves() {
  return useQuery({ queryKey: ['moves'], queryFn: () => ask('GET /api/board/moves') });
}

/** What changed while the board was on its way: it may have been read before the change. */
const meanwhile = new Set<string>();
let isLoading = false;

/** The first of a large board is shown while the rest is still on its way. */
async function fetchAll(signal: AbortSignal): Promise<Cards> {
  const all = new Map<string, Card>();
  const isFirst = queryClient.getQueryData(KEY) === undefined;
  isLoading = true;
  try {
    let after: string | undefined;
    do {
      const page = await askUntil(signal)('GET /api/board/cards', { after });
      for (const card of page.cards) all.set(card.id, card);
      after = page.next;
      if (isFirst && after !== undefined) queryClient.setQueryData<Cards>(KEY, new Map(all));
    } while (after !== undefined);
  } finally {
    isLoading = false;
  }
  setTimeout(() => {
    const missed = [...meanwhile];
    meanwhile.clear();
    void refreshCards(missed);
  });
  scheduleLook(all);
  return all;
}

export async function refreshCards(ids: readonly string[]): Promise<void> {
  if (isLoading) for (const id of ids) meanwhile.add(id);
  if (ids.length === 0 || !queryClient.getQueryData(KEY)) return;
  // So many at once means somebody imported a board: one look at all of it is cheaper.
  if (ids.length > AT_ONCE * 3) return queryClient.invalidateQueries({ queryKey: KEY });
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const some = ids.slice(at, at + AT_ONCE);
    const page = await ask('GET /api/board/cards', { ids: some }).catch(() => undefined);
    if (!page) return queryClient.invalidateQueries({ queryKey: KEY });
    put(page.cards, page.gone);
  }
}

/** Shows a change before the hub has answered; answers how to take it back. */
export function showCard(id: string, change: Partial<Card>): () => void {
  const before = queryClient.getQueryData<Cards>(KEY)?.get(id);
  if (!before) return () => undefined;
  put([{ ...before, ...change }], []);
  return () => put([before], []);
}

function put(cards: readonly Card[], gone: readonly string[]): void {
  queryClient.setQueryData<Cards>(KEY, (known) => {
    if (!known) return known;
    const next = new Map(known);
    for (const card of cards) next.set(card.id, card);
    for (const id of gone) next.delete(id);
    scheduleLook(next);
    return next;
  });
}

/**
 * A sign of life renews a lease without an event. So that a bar does not run dry beside a living agent, a card is looked at
 * again when half of what it showed has passed, and when it seems to have run out.
 */
let look: ReturnType<typeof setTimeout> | undefined;

function scheduleLook(cards: Cards): void {
  clearTimeout(look);
  const now = Date.now();
  const held = [...cards.values()].filter(
    ({ leaseUntil, status }) => leaseUntil !== null && status !== 'done' && status !== 'cancelled',
  );
  const due = held.map((card) => ({
    id: card.id,
    in: Math.max((card.leaseUntil! - now) / 2, card.leaseUntil! > now ? 10_000 : Infinity),
  }));
  const soonest = Math.min(...due.map(({ in: ms }) => ms));
  if (!Number.isFinite(soonest)) return;
  const wait = Math.min(soonest + 500, 2 ** 31 - 1);
  look = setTimeout(
    () => void refreshCards(due.filter(({ in: ms }) => ms <= wait * 1.5).map(({ id }) => id)),
    wait,
  );
}
