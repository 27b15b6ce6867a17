import { readFileSync } from 'node:fs';

const BEAT_MS = 30_000;

/** How often a process or an open stream gives a sign of life: well within any lease. */
export function beatMs(leaseMs: number): number {
  return leaseMs === 0 ? BEAT_MS : Math.max(100, Math.min(BEAT_MS, Math.floor(leaseMs / 3)));
}

/** A process that somebody stopped (SIGSTOP, Ctrl-Z) is there and does nothing. Only Linux tells. */
export function isStopped(pid: number): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before the state may hold anything, brackets included.
    return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    // Gone, or nobody's business.
    return false;
  }
}
