import type { Tx } from '../../store/database.ts';
import { eligible, ELIGIBLE_TURNS, type Share, type Signal, SIGNALS, stepScore } from './credit.ts';
import { type Feedback, round4 } from './memory.ts';
import { claimSignal, creditOf, insertCreditEvent, setScore } from './rows/credits.ts';
import { closeTurn, turnsOfSession } from './rows/turns.ts';
import { nextVersion } from './rows/vaults.ts';
import { notFound } from './rules.ts';
import type { Strategy } from './strategy.ts';

/** How an outcome becomes credit. One signal counts once, whoever repeats it. */
export type CreditOutcome = Readonly<{
  vault: string;
  signal: Signal;
  session: string;
  /** These memories and no others; without it, what the session's last turns retrieved. */
  ids?: readonly string[] | undefined;
  /** Tells this signal from another of its kind; without it, once per turn, or once a day from who has none. */
  key?: string | undefined;
}>;

/** Longer ago, a turn has nothing to do with what comes out now. */
const MEMORY_OF_TURNS_MS = 24 * 60 * 60_000;
const DAY_MS = 86_400_000;

export async function applyOutcome(tx: Tx, outcome: CreditOutcome, policy: Strategy): Promise<Feedback> {
  const { vault, signal, session } = outcome;
  const turns = (await turnsOfSession(tx, { vault, session }, ELIGIBLE_TURNS)).filter(
    ({ lastAt }) => tx.now - lastAt <= MEMORY_OF_TURNS_MS,
  );
  const shares = outcome.ids ? named(outcome.ids) : eligible(turns);
  const nothing: Feedback = { signal, applied: false, moved: [] };
  if (shares.length === 0) return nothing;
  if (outcome.ids) await requireKnown(tx, vault, outcome.ids);
  const occasion = turns[0] ? `turn:${turns[0].id}` : `day:${Math.floor(tx.now / DAY_MS)}:${session}`;
  const key = outcome.key ?? `${occasion}:${signal}:${outcome.ids?.toSorted().join(',') ?? ''}`;
  if (!(await claimSignal(tx, vault, key))) return nothing;
  const moved = await moveScores(tx, { ...outcome, shares, policy });
  // Tools succeed all the time; what ends a turn is a verdict.
  if (!outcome.ids && turns[0] && signal !== 'tool_success') await closeTurn(tx, turns[0].id, signal);
  if (moved.length > 0)
    tx.emit({
      kind: 'brain.credited',
      subject: 'vault',
      realm: 'hub',
      data: { signal, memories: moved.length },
    });
  return { signal, applied: moved.length > 0, moved };
}

type Shared = CreditOutcome & Readonly<{ shares: readonly Share[]; policy: Strategy }>;

async function moveScores(
  tx: Tx,
  { vault, signal, session, shares, policy }: Shared,
): Promise<Feedback['moved']> {
  const version = await nextVersion(tx, vault);
  const reward = SIGNALS[signal];
  const moved: Feedback['moved'] = [];
  for (const { memory, shared, weight } of shares) {
    const credit = await creditOf(tx, vault, memory);
    if (!credit) continue;
    const after = stepScore(credit.score, { reward, shared, weight }, policy);
    await setScore(tx, vault, { id: memory, score: after, version });
    await insertCreditEvent(tx, vault, {
      memory_id: memory,
      event_type: signal,
      reward: reward * weight,
      old_score: credit.score,
      new_score: after,
      session_id: session,
    });
    moved.push({ id: memory, before: round4(credit.score), after: round4(after) });
  }
  return moved;
}

/** A verdict is about memories that are there; about a mistyped one it would be lost without a word. */
async function requireKnown(tx: Tx, vault: string, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (!(await creditOf(tx, vault, id))) throw notFound(id);
  }
}

function named(ids: readonly string[]): Share[] {
  return [...new Set(ids)].map((memory) => ({ memory, shared: ids.length, weight: 1 }));
}
