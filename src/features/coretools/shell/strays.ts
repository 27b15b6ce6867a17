import { readdir, readFile } from 'node:fs/promises';

/** In the environment of a command: what it starts inherits it, also when it leaves the process group. */
export const MARK = 'RUN_MARK';

const MOST_ROUNDS = 5;

/**
 * Ends the processes that a command started and that left its group, as daemons do. They are known by the mark in their
 * environment. Another round follows while one finds somebody, because a process may start others while it is looked for. Where
 * there is no /proc, only the group is ended.
 */
export async function endStrays(mark: string): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const strays = await findMarked(Buffer.from(`${MARK}=${mark}\0`));
    if (strays.length === 0) return;
    for (const pid of strays) sendSignal(pid, 'SIGKILL');
  }
}

async function findMarked(mark: Buffer): Promise<number[]> {
  const names = await readdir('/proc').catch(() => []);
  const marked = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map((pid) => hasMark(pid, mark)));
  return marked.filter((pid) => pid !== undefined);
}

/** The environment of others, and of a process that has just ended, cannot be read: those are not ours. */
async function hasMark(pid: string, mark: Buffer): Promise<number | undefined> {
  const environment = await readFile(`/proc/${pid}/environ`).catch(() => undefined);
  return environment?.includes(mark) ? Number(pid) : undefined;
}

/** Who is gone needs no signal, and who runs as somebody else takes none from us. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
