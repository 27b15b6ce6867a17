import { readStat } from './table.ts';

/** A process of this machine and what it runs. */
export type Kin = Readonly<{ pid: number; name: string }>;

const MAX_DEPTH = 32;

/** The parent first, then its parent, and so on. Empty where the system does not tell. */
export function ancestorsOf(pid: number): Kin[] {
  const line: Kin[] = [];
  for (let next = parentOf(pid); next && next.pid > 1 && line.length < MAX_DEPTH; next = parentOf(next.pid))
    line.push(next);
  return line;
}

function parentOf(pid: number): Kin | undefined {
  const parent = lookUp(pid)?.parent;
  const name = parent === undefined ? undefined : lookUp(parent)?.name;
  return parent === undefined || name === undefined ? undefined : { pid: parent, name };
}

function lookUp(pid: number): Readonly<{ parent: number; name: string }> | undefined {
  try {
    return process.platform === 'linux' ? readStat(pid) : fromPs(pid);
  } catch {
    // It is gone, or is somebody else's: nothing is known of it.
    return undefined;
  }
}

function fromPs(pid: number): Readonly<{ parent: number; name: string }> {
  // Asked for only here: a hook is on its way, and most systems have /proc.
  const { execFileSync } = process.getBuiltinModule('node:child_process');
  const text = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const [, parent, name] = /^(\d+)\s+(.*)$/.exec(text)!;
  return { parent: Number(parent), name: name!.split('/').at(-1)! };
}
