import type { Credit } from './memory.ts';

/**
 * How praise and blame move a score. Praise always raises and blame always lowers, both inside [0, 1] without clamping:
 * a step goes a share of the remaining way. Time never rewrites a score; what it is worth is computed when reading.
 */
export const SIGNALS = {
  task_completed: 0.5,
  positive_feedback: 0.3,
  tool_success: 0.1,
  user_correction: -0.4,
  session_abandoned: -0.2,
} as const;
export type Signal = keyof typeof SIGNALS;

export type CreditPolicy = Readonly<{
  alpha: number;
  decay_rate: number;
  /** `documented` is the published formula, which pulls every score towards the reward, praise included. */
  credit_update: 'saturating' | 'documented';
}>;

const DAY_MS = 86_400_000;

/** `shared`: how many memories share the reward. `weight`: how much of it this one deserves, 0…1. */
export type CreditStep = Readonly<{ reward: number; shared: number; weight: number }>;

export function stepScore(
  score: number,
  { reward, shared, weight }: CreditStep,
  policy: CreditPolicy,
): number {
  const part = reward / Math.sqrt(Math.max(1, shared));
  if (policy.credit_update === 'documented') {
    const next = (1 - policy.alpha) * score + policy.alpha * part;
    return clamp(score + weight * (next - score));
  }
  const share = Math.min(1, 2 * policy.alpha * Math.abs(part) * weight);
  return reward >= 0 ? score + share * (1 - score) : score - share * score;
}

export function effectiveScore(
  credit: Pick<Credit, 'score' | 'lastAccessed'>,
  now: number,
  policy: Pick<CreditPolicy, 'decay_rate'>,
): number {
  const days = Math.max(0, now - credit.lastAccessed) / DAY_MS;
  return credit.score * Math.exp(-policy.decay_rate * days);
}

/** Further down the page, less likely to have been read. */
export function rankWeight(rank: number): number {
  return 1 / Math.log2(1 + Math.max(1, rank));
}

/** Turns back in time that share in a signal, and how quickly their share fades. */
export const ELIGIBLE_TURNS = 4;
const FADING = 0.5;

export type Turn = Readonly<{ id: string; retrieved: readonly Readonly<{ id: string; rank: number }>[] }>;
export type Share = Readonly<{ memory: string; shared: number; weight: number }>;

/** Who deserves what of a signal: the newest turn in full, older ones less. A memory seen in several turns is credited once, where it counts most. */
export function eligible(newestFirst: readonly Turn[]): Share[] {
  const shares = new Map<string, Share>();
  newestFirst.slice(0, ELIGIBLE_TURNS).forEach(({ retrieved }, age) => {
    for (const { id, rank } of retrieved) {
      const weight = rankWeight(rank) * FADING ** age;
      if (weight > (shares.get(id)?.weight ?? 0))
        shares.set(id, { memory: id, shared: retrieved.length, weight });
    }
  });
  return [...shares.values()];
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
