import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { MARKS, markedBy } from '../../kernel/process/mark.ts';
import { sendSignal } from '../../kernel/process/signal.ts';
import { readProcess } from '../../kernel/process/table.ts';

/**
 * Programs that the hub runs for its sources, and how none of them outlives it. Each carries a mark in its environment, which
 * whatever it starts inherits, also when that leaves the process group. Where there is no /proc only the group can be ended.
 */
export const MARK = MARKS.source;

const MOST_ROUNDS = 5;
const LOOK_MS = 10;

let hubs = 0;

/**
 * Names one hub of this process: the folder it serves, the process and when it began, and which of its hubs, so that what is left
 * of one that was closed is not taken for part of the next.
 */
export function markOf(home: string): string {
  hubs += 1;
  return `${home}.${process.pid}.${readProcess(process.pid)?.born ?? '0'}.${hubs}`;
}

/** Ends every process that carries the mark or one below it. Further rounds follow while one finds somebody. */
export async function endMarked(mark: string): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = markedBy(MARK).filter(({ value }) => value === mark || value.startsWith(`${mark}.`));
    if (found.length === 0) return;
    for (const { pid } of found) sendSignal(pid, 'SIGKILL');
    await sleep(LOOK_MS);
  }
}

/** What hubs of this home that are gone have left behind. A hub is known by its id and by when it began. */
export function endLeftBehind(home: string): number {
  const left = markedBy(MARK).filter(({ value }) => {
    const [folder, pid, begun] = value.split('.');
    return folder === home && readProcess(Number(pid), 'any')?.born !== begun;
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
