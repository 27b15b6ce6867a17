import { hostname } from 'node:os';
import { newId } from '../../../kernel/ids.ts';
import { isThere } from '../../../kernel/process/signal.ts';

/** Who holds a lease, told so that others on this machine can see whether it still lives. */
export function newProcessName(): string {
  return `${hostname()}:${process.pid}:${newId()}`;
}

/** A process of this machine that is gone will not come back for its lease. Of other machines nobody can tell. */
export function isDead(name: string): boolean {
  const [host, pid] = name.split(':');
  return host === hostname() && !isThere(Number(pid));
}
