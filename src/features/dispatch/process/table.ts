import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The processes of this machine, from /proc. Read at once and synchronously: a look must be one moment, and some hundred tiny
 * reads cost less so. Where there is no /proc the table is empty, and only process groups are ended.
 */
export type Process = Readonly<{ pid: number; parent: number; group: number; born: string }>;

/** `from`: only those with this number or a higher one; all of them when numbers have just come round. */
export function readProcesses(from = 0): Process[] {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return [];
  }
  const pids = names.flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  const hasWrapped = from > 0 && lastPid() < from;
  return pids.filter((pid) => hasWrapped || pid >= from).flatMap((pid) => readProcess(pid) ?? []);
}

/** The number that was given last; 0 where the system does not tell, which counts as come round. */
function lastPid(): number {
  try {
    return Number(readFileSync('/proc/loadavg', 'latin1').trim().split(' ').at(-1));
  } catch {
    return 0;
  }
}

/** Undefined for one that is gone; `living`: or only waits to be buried. */
export function readProcess(pid: number, which: 'living' | 'any' = 'living'): Process | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may hold anything, parentheses too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (which === 'living' && (fields[0] === 'Z' || fields[0] === 'X')) return undefined;
  return { pid, parent: Number(fields[1]), group: Number(fields[2]), born: fields[19]! };
}

/** All below one process, at this moment. */
export function descendantsOf(pid: number, processes: readonly Process[]): Process[] {
  const children = Map.groupBy(processes, ({ parent }) => parent);
  const found: Process[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const child of children.get(next) ?? []) {
      found.push(child);
      waiting.push(child.pid);
    }
  }
  return found;
}

/** Whose environment has this entry. The environment of others cannot be read: those are not ours. */
export function hasInEnvironment(pid: number, entry: string): boolean {
  return environmentOf(pid)?.includes(`${entry}\0`) ?? false;
}

export function environmentOf(pid: number): string | undefined {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}\0`;
  } catch {
    return undefined;
  }
}

/** Which machine this is, and which of its starts: process ids mean something only within one. */
export function thisMachine(): string {
  try {
    return `${hostname()} ${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}`;
  } catch {
    return hostname();
  }
}
