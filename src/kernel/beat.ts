const BEAT_MS = 30_000;

/** How often a process or an open stream gives a sign of life: well within any lease. */
export function beatMs(leaseMs: number): number {
  return leaseMs === 0 ? BEAT_MS : Math.max(100, Math.min(BEAT_MS, Math.floor(leaseMs / 3)));
}
