import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * The processes of this machine, from /proc. Read at once and synchronously: a look must be one moment, and
 * some hundred tiny reads cost less so. Where there is no /proc the table is empty, and only process groups
 * are ended.
 */
export type Process = Readonly<{ pid: number; parent: number; group: number; born: string }>;

/** `from`: only those with this number or a higher one; all of them when numbers have just come round. */
export function readProcesses(from = 0): Process[] {
  const hasWrapped = from > 0 && lastPid() < from;
  return listPids()
    .filter((pid) => hasWrapped || pid >= from)
    .flatMap((pid) => readProcess(pid) ?? []);
}

export function listPids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** Whether this system shows its processes. */
export function hasTable(): boolean {
  return existsSync('/proc/self/stat');
}

/** The number that was given last; 0 where the system does not tell, which counts as come round. */
function lastPid(): number {
  return Number(textOf('/proc/loadavg')?.trim().split(' ').at(-1) ?? 0);
}

/** Undefined for one that is gone; `living`: or only waits to be buried. */
export function readProcess(pid: number, which: 'living' | 'any' = 'living'): Process | undefined {
  const stat = readStat(pid);
  if (!stat || (which === 'living' && (stat.state === 'Z' || stat.state === 'X'))) return undefined;
  const { parent, group, born } = stat;
  return { pid, parent, group, born };
}

type Stat = Process & Readonly<{ name: string; state: string; /** In ticks. */ processorTime: number }>;

/** `pid (name) state ppid …`, where the name may hold anything, brackets included. */
export function readStat(pid: number): Stat | undefined {
  const text = textOf(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
  const fields = text.slice(close + 2).split(' ');
  return {
    pid,
    name: text.slice(open + 1, close),
    state: fields[0]!,
    parent: Number(fields[1]),
    group: Number(fields[2]),
    born: fields[19]!,
    processorTime: Number(fields[11]) + Number(fields[12]),
  };
}

/** Milliseconds of processor time; undefined where the system does not tell. */
export function processorTimeOf(pid: number): number | undefined {
  const ticks = readStat(pid)?.processorTime;
  // A hundred a second on every Linux.
  return ticks === undefined ? undefined : ticks * 10;
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

/** Each entry between two NULs. The environment of others cannot be read: those are not ours. */
export function environmentOf(pid: number): string | undefined {
  const text = textOf(`/proc/${pid}/environ`);
  return text === undefined ? undefined : `\0${text}\0`;
}

/** The soft limit of real-time scheduling; undefined where it cannot be read. */
export function realtimeLimitOf(pid: number): string | undefined {
  return /^Max realtime timeout +(\d+) /m.exec(textOf(`/proc/${pid}/limits`) ?? '')?.[1];
}

/** Which machine this is, and which of its starts: process ids mean something only within one. */
export function thisMachine(): string {
  const boot = textOf('/proc/sys/kernel/random/boot_id');
  return boot === undefined ? hostname() : `${hostname()} ${boot.trim()}`;
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}
