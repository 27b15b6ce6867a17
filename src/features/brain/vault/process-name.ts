import { hostname } from 'node:os';
import { newId } from '../../../kernel/ids.ts';

/** Who holds a lease, told so that others on this machine can see whether it still lives. */
export function newProcessName(): string {
  return `${hostname()}:${process.pid}:${newId()}`;
}

/** A process of this machine that is gone will not come back for its lease. Of other machines nobody can tell. */
export function isDead(name: string): boolean {
  const [host, pid] = name.split(':');
  if (host !== hostname() || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
