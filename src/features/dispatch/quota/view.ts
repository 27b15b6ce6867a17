import type { RunPart } from '../rows/parts.ts';
import type { PresentedRun } from '../run.ts';

/** A run that was begun more than once, with each of its parts. */
export function withParts(run: PresentedRun, parts: readonly RunPart[]): PresentedRun {
  return parts.length === 0 ? run : { ...run, parts: parts.map(presentPart) };
}

function presentPart(part: RunPart): NonNullable<PresentedRun['parts']>[number] {
  const { n, instance, sessionId, ended, text, usage, costUsd, startedAt, endedAt } = part;
  return {
    n,
    instance,
    ...(sessionId !== null && { session_id: sessionId }),
    end: ended,
    ...(text !== null && { text }),
    ...(usage && { usage }),
    ...(costUsd !== null && { cost_usd: costUsd }),
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(endedAt).toISOString(),
  };
}
