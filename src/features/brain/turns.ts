import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import type { Turn } from './credit.ts';
import { extendTurn, insertTurn, turnsOfSession } from './rows/turns.ts';

/** Retrievals of one session that follow each other are one turn, until an outcome is known or a pause ends it. */
const TURN_GAP_MS = 5 * 60_000;

type Seen = Readonly<{
  vault: string;
  session: string;
  agent: string | null;
  retrieved: Turn['retrieved'];
}>;

export async function recordTurn(tx: Tx, { vault, session, agent, retrieved }: Seen): Promise<void> {
  if (retrieved.length === 0) return;
  // Two retrievals of one session at once must not open two turns.
  await tx.lock(`turn:${vault}:${session}`);
  const [last] = await turnsOfSession(tx, { vault, session }, 1);
  if (last && last.outcome === null && tx.now - last.lastAt <= TURN_GAP_MS) {
    await extendTurn(tx, { id: last.id, retrieved: joined(last.retrieved, retrieved) });
    return;
  }
  await insertTurn(tx, { id: newId(), vault, session, agent, retrieved });
}

/** A memory seen twice counts once, at its better rank. */
function joined(before: Turn['retrieved'], now: Turn['retrieved']): Turn['retrieved'] {
  const ranks = new Map(before.map(({ id, rank }) => [id, rank]));
  for (const { id, rank } of now) ranks.set(id, Math.min(rank, ranks.get(id) ?? rank));
  return [...ranks].map(([id, rank]) => ({ id, rank }));
}
