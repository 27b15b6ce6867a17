import type { Event } from '../../kernel/event.ts';
import { digestOfSeat } from '../../kernel/seat.ts';
import type { Tx } from '../../store/database.ts';
import { applyOutcome } from './apply-outcome.ts';
import { type EventOutcome, type HeldBy, outcomeOf } from './outcomes.ts';
import type { BrainParts } from './parts.ts';
import { sessionsSince } from './rows/turns.ts';

/** Sessions that have been silent for longer had no part in it. */
export const RECENT_MS = 86_400_000;

type Learner = Pick<BrainParts, 'vault'> & Readonly<{ heldBy: HeldBy }>;

/** What other rooms tell is an outcome for the sessions of the agent it is about, and for the session it came through. */
export async function learn(tx: Tx, { vault, heldBy }: Learner, event: Event): Promise<void> {
  const outcome = outcomeOf(event);
  if (!outcome) return;
  for (const session of await sessionsOf(tx, { vault, heldBy }, outcome)) {
    const key = outcome.key === undefined ? undefined : `${outcome.key}:${session}`;
    await applyOutcome(tx, { vault: vault.id, signal: outcome.signal, session, key }, vault.lastPolicy());
  }
}

async function sessionsOf(
  tx: Tx,
  { vault, heldBy }: Learner,
  { agent, seat, taskId }: EventOutcome,
): Promise<Set<string>> {
  const since = tx.now - RECENT_MS;
  const sessions = new Set(agent === undefined ? [] : await sessionsSince(tx, vault.id, { since, agent }));
  if (seat === undefined && taskId === undefined) return sessions;
  for (const session of await sessionsSince(tx, vault.id, { since })) {
    if (sessions.has(session)) continue;
    if (seat === digestOfSeat(session) || (taskId !== undefined && (await heldBy(tx, session, taskId))))
      sessions.add(session);
  }
  return sessions;
}
