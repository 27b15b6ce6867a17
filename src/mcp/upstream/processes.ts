import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { sendSignal } from '../../kernel/processes.ts';

/**
 * Programs that the hub runs for its sources, and how none of them outlives it. Each carries a mark in its environment, which
 * whatever it starts inherits, also when that leaves the process group. Where there is no /proc only the group can be ended.
 */
export const MARK = 'HOLDFAST_CHILD';

const MOST_ROUNDS = 5;

let hubs = 0;

/**
 * Names one hub of this process: the folder it serves, the process and when it began, and which of its hubs, so that what is left
 * of one that was closed is not taken for part of the next.
 */
export function markOf(home: string): string {
  hubs += 1;
  return `${home}.${process.pid}.${startOf(process.pid) ?? '0'}.${hubs}`;
}

/** Ends every process that carries the mark or one below it. Further rounds follow while one finds somebody. */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = (await marked()).filter((each) => each.mark === mark || each.mark.startsWith(`${mark}.`));
    if (found.length === 0) return;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
  }
}

/** What hubs of this home that are gone have left behind. A hub is known by its id and by when it began. */
export async function endLeftBehind(home: string): Promise<number> {
  const left = (await marked()).filter(({ mark }) => {
    const [folder, pid, begun] = mark.split('.');
    return folder === home && startOf(Number(pid)) !== begun;
  });
  for (const { pid } of left) sendSignal(pid, 'SIGKILL');
  return left.length;
}

/** Waits on a pipe that only this process holds. When it ends, however it ends, the shell ends whoever carries the mark. */
export function startGuardian(mark: string): () => void {
  if (process.platform !== 'linux') return () => undefined;
  const guardian = spawn('/bin/sh', ['-c', GUARDIAN, 'holdfast-guardian', `${MARK}=${mark}.`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
  });
  guardian.on('error', () => undefined);
  guardian.stdin.on('error', () => undefined);
  guardian.unref();
  (guardian.stdin as unknown as { unref?(): void }).unref?.();
  return () => guardian.stdin.destroy();
}

const GUARDIAN = `cat >/dev/null
for round in 1 2 3; do
  for file in $(grep -lsz -- "^$1" /proc/[0-9]*/environ); do
    id=\${file#/proc/}
    kill -9 "\${id%/environ}" 2>/dev/null
  done
  sleep 0.1
done`;

type Marked = Readonly<{ pid: number; mark: string }>;

async function marked(): Promise<readonly Marked[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(markIn));
  return found.filter((each) => each !== undefined);
}

/** The environment of others, and of a process that has just ended, cannot be read: those are not ours. */
async function markIn(pid: string): Promise<Marked | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const mark = environment.split('\0').find((entry) => entry.startsWith(`${MARK}=`));
  return mark === undefined ? undefined : { pid: Number(pid), mark: mark.slice(MARK.length + 1) };
}

/** In ticks since the machine started; undefined for a process that is not there. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}
