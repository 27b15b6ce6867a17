// Signals to processes that may be gone, or somebody else's.
import { codeOf } from '../file-faults.ts';

/** Who is gone needs no signal, and who runs as somebody else takes none from us. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes(codeOf(error))) throw error;
  }
}

/** Somebody else's is there as well. */
export function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
