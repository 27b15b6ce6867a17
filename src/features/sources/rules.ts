// When a source is tried again, and when a call is repeated. Pure.
import type { Failure } from '../../mcp/upstream/failures.ts';

/** A source that was ready for so long, or has answered a call, begins counting its failures anew. */
export const STEADY_MS = 10_000;
const FIRST_MS = 250;
const STEP_MS = 1_000;
const LONGEST_MS = 60_000;
const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5 * 60_000;

/** After so many failures in a row: how long to wait, and whether the breaker is open. `chance` is from 0 to 1. */
export function waitAfter(failures: number, chance: number): Readonly<{ ms: number; isOpen: boolean }> {
  if (failures >= FAILURES_TO_OPEN) return { ms: OPEN_MS, isOpen: true };
  if (failures <= 1) return { ms: FIRST_MS, isOpen: false };
  const step = Math.min(STEP_MS * 2 ** (failures - 2), LONGEST_MS);
  return { ms: Math.round(step * (0.75 + chance / 2)), isOpen: false };
}

export type Repeatable = Readonly<{
  readOnlyHint?: boolean | undefined;
  idempotentHint?: boolean | undefined;
}>;

/** A lost connection is worth a second try; a second run of a call is not, unless it cannot matter. */
export function mayRepeat(failure: Failure, tool: Repeatable): boolean {
  if (failure === 'unsent' || failure === 'session') return true;
  return failure === 'closed' && (tool.readOnlyHint === true || tool.idempotentHint === true);
}

export function isLost(failure: Failure): boolean {
  return failure === 'unsent' || failure === 'session' || failure === 'closed';
}
