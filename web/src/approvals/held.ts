import { useSyncExternalStore } from 'react';
import { queryClient } from '../api/client.ts';
import { allDrafts, forgetDraft } from '../drafts/drafts.ts';
import { sendDecision, type Approval, type Decision } from './decision.ts';

/**
 * Decisions that were made and have not gone out yet. What an agent was allowed cannot be taken back once it runs, so a
 * decision is kept for a moment, in which it can be. Leaving the page sends it: a decision is never lost.
 */
export type Held = Readonly<{
  id: number;
  decision: Decision;
  approvals: readonly Approval[];
  /** When it goes out; undefined once it is on its way. */
  goesAt: number | undefined;
}>;

/** Under which a word to the agent is kept until the decision is out: what is taken back has its word again. */
export const wordFor = (id: string) => `approval ${id} word`;

/** A no, with the word that was written to it. */
export function denial(id: string): Omit<Decision, 'ids'> {
  const note = allDrafts().get(wordFor(id))?.text.trim() ?? '';
  return { decision: 'deny', ...(note !== '' && { note }) };
}

type State = Readonly<{ held: readonly Held[]; error: unknown }>;

const HOLD_MS = 5_000;

let state: State = { held: [], error: undefined };
let last = 0;
const timers = new Map<number, ReturnType<typeof setTimeout>>();
const watchers = new Set<() => void>();

export function useHeld(): State {
  return useSyncExternalStore(
    (changed) => {
      watchers.add(changed);
      return () => watchers.delete(changed);
    },
    () => state,
  );
}

/** Held back for a moment, or not at all where the request would run out meanwhile. */
export function hold(decision: Decision, approvals: readonly Approval[]): void {
  const id = (last += 1);
  const soonest = Math.min(...approvals.map(({ expiresAt }) => expiresAt));
  const wait = soonest - Date.now() > HOLD_MS * 2 ? HOLD_MS : 0;
  tell({ held: [...state.held, { id, decision, approvals, goesAt: Date.now() + wait }], error: undefined });
  timers.set(
    id,
    setTimeout(() => void send(id), wait),
  );
}

/** Takes back what has not gone out, the last of it unless named, and answers what that was. */
export function takeBack(
  id = state.held.findLast(({ goesAt }) => goesAt !== undefined)?.id,
): Held | undefined {
  const found = state.held.find((each) => each.id === id);
  if (!found || found.goesAt === undefined) return undefined;
  clearTimeout(timers.get(found.id));
  timers.delete(found.id);
  tell({ held: state.held.filter((each) => each !== found) });
  return found;
}

export async function send(id: number, isLeaving = false): Promise<void> {
  const found = state.held.find((each) => each.id === id);
  if (!found || found.goesAt === undefined) return;
  clearTimeout(timers.get(id));
  timers.delete(id);
  tell({ held: state.held.map((each) => (each === found ? { ...each, goesAt: undefined } : each)) });
  try {
    await sendDecision(found.decision, isLeaving);
    for (const each of found.decision.ids) forgetDraft(wordFor(each));
    await queryClient.invalidateQueries({ queryKey: ['approvals'] });
  } catch (error) {
    tell({ error });
  } finally {
    tell({ held: state.held.filter((each) => each.id !== id) });
  }
}

export function forgetError(): void {
  tell({ error: undefined });
}

function tell(change: Partial<State>): void {
  state = { ...state, ...change };
  for (const changed of watchers) changed();
}

addEventListener('pagehide', () => {
  for (const { id } of state.held) void send(id, true);
});
