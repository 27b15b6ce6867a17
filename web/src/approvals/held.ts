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
  /** What was decided together goes out together, and each of it can be taken back by itself. */
  batch: number;
  decision: Omit<Decision, 'ids'>;
  approval: Approval;
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

type State = Readonly<{
  held: readonly Held[];
  error: unknown;
  /** Nothing goes out by itself: somebody is at it with keys. */
  isResting: boolean;
}>;

/** As long as a held line takes to drain (`styles.css`). */
const HOLD_MS = 5_000;

let state: State = { held: [], error: undefined, isResting: false };
let last = 0;
/** Of each batch: how much of its moment was left when it began to run, or to rest. */
type Running = Readonly<{ timer?: ReturnType<typeof setTimeout>; since: number; left: number }>;
const timers = new Map<number, Running>();
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
  const { ids: _, ...decided } = decision;
  const batch = (last += 1);
  const soonest = Math.min(...approvals.map(({ expiresAt }) => expiresAt));
  const wait = soonest - Date.now() > HOLD_MS * 2 ? HOLD_MS : 0;
  const goesAt = Date.now() + wait;
  const held = approvals.map((approval) => ({ id: (last += 1), batch, decision: decided, approval, goesAt }));
  tell({ held: [...state.held, ...held], error: undefined });
  start(batch, wait);
}

function start(batch: number, left: number): void {
  const isRunning = !state.isResting || left === 0;
  timers.set(batch, {
    since: Date.now(),
    left,
    ...(isRunning && { timer: setTimeout(() => void sendBatch(batch), left) }),
  });
}

/** Whoever needs longer than a moment to reach Undo by key has it, and the rest of the moment afterwards. */
export function rest(isResting: boolean): void {
  if (isResting === state.isResting) return;
  tell({ isResting });
  for (const [batch, { timer, since, left }] of timers) {
    clearTimeout(timer);
    start(batch, isResting ? Math.max(1, left - (Date.now() - since)) : left);
  }
}

/** Takes back what has not gone out, the last of it unless named, and answers what that was. */
export function takeBack(
  id = state.held.findLast(({ goesAt }) => goesAt !== undefined)?.id,
): Held | undefined {
  const found = state.held.find((each) => each.id === id);
  if (!found || found.goesAt === undefined) return undefined;
  tell({ held: state.held.filter((each) => each !== found) });
  return found;
}

/** One of them, before its time. */
export function send(id: number): Promise<void> {
  return sendAll(state.held.filter((each) => each.id === id));
}

/** All that is held, each with what was decided together with it. */
export async function sendAllNow(): Promise<void> {
  await Promise.all([...new Set(state.held.map((each) => each.batch))].map((batch) => sendBatch(batch)));
}

function sendBatch(batch: number, isLeaving = false): Promise<void> {
  clearTimeout(timers.get(batch)?.timer);
  timers.delete(batch);
  return sendAll(
    state.held.filter((each) => each.batch === batch),
    isLeaving,
  );
}

async function sendAll(wanted: readonly Held[], isLeaving = false): Promise<void> {
  const going = wanted.filter(({ goesAt }) => goesAt !== undefined);
  const [first] = going;
  if (!first) return;
  const sent = new Set(going.map(({ id }) => id));
  const ids = going.map(({ approval }) => approval.id);
  tell({ held: state.held.map((each) => (sent.has(each.id) ? { ...each, goesAt: undefined } : each)) });
  try {
    await sendDecision({ ...first.decision, ids }, isLeaving);
    for (const each of ids) forgetDraft(wordFor(each));
    await queryClient.invalidateQueries({ queryKey: ['approvals'] });
  } catch (error) {
    tell({ error });
  } finally {
    tell({ held: state.held.filter((each) => !sent.has(each.id)) });
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
  for (const batch of new Set(state.held.map((each) => each.batch))) void sendBatch(batch, true);
});
