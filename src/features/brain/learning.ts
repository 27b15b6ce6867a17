import type { Event } from '../../kernel/event.ts';
import { digestOfSeat } from '../../kernel/seat.ts';
import type { Tx } from '../../store/database.ts';
import { applyOutcome } from './crediting.ts';
import { type EventOutcome, type HeldBy, outcomeOf } from './outcomes.ts';
import type { BrainParts } from './parts.ts';
import { sessionsSince } from './rows/turns.ts';

/** Sessions that have been silent for longer had no part in it. */
export const RECENT_MS = 86_400_000;

/** What other rooms tell is an outcome for the sessions of the agent it is about, and for the session it came through. */
export async function learn({ vault }: BrainParts, tx: Tx, event: Event, heldBy: HeldBy): Promise<void> {
  const outcome = outcomeOf(event);
  if (!outcome) return;
  for (const session of await sessionsOf(tx, vault.id, outcome, heldBy)) {
    const key = outcome.key === undefined ? undefined : `${outcome.key}:${session}`;
    await applyOutcome(tx, { vault: vault.id, signal: outcome.signal, session, key }, vault.lastPolicy());
  }
}

async function sessionsOf(
  tx: Tx,
  vault: string,
  { agent, seat, taskId }: EventOutcome,
  heldBy: HeldBy,
): Promise<Set<string>> {
  const since = tx.now - RECENT_MS;
  const sessions = new Set(agent === undefined ? [] : await sessionsSince(tx, vault, since, agent));
  if (seat === undefined && taskId === undefined) return sessions;
  for (const session of await sessionsSince(tx, vault, since)) {
    if (sessions.has(session)) continue;
    if (seat === digestOfSeat(session) || (taskId !== undefined && (await heldBy(tx, session, taskId))))
      sessions.add(session);
  }
  return sessions;
}
