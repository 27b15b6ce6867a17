import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { newId } from '../../../kernel/ids.ts';
import { sendSignal } from '../../../kernel/processes.ts';

/**
 * What tells the processes of a command: a variable in its environment, and a soft limit of real-time
 * scheduling that is far too high to mean anything. Both are inherited, also by who leaves the process group;
 * the limit also by who clears the environment.
 */
export type RunMark = Readonly<{ text: string; limit: number }>;

export function newMark(): RunMark {
  return { text: newId(), limit: FAR + randomInt(FAR) };
}

export function markedEnvironment({ text, limit }: RunMark): Record<string, string> {
  return { [MARK]: text, RUN_LIMIT: String(limit) };
}

const MARK = 'RUN_MARK';
/** In microseconds: nine years and more. */
const FAR = 2 ** 48 - 1;

const MOST_ROUNDS = 5;

/**
 * Ends the processes that a command started and that left its group, as daemons do. They are known by the
 * mark. Another round follows while one finds somebody, because a process may start others while it is looked
 * for. Where there is no /proc, only the group is ended.
 */
export async function endStrays(mark: RunMark): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const strays = await findMarked(mark);
    if (strays.length === 0) return;
    for (const pid of strays) sendSignal(pid, 'SIGKILL');
  }
}

async function findMarked({ text, limit }: RunMark): Promise<number[]> {
  const mark = {
    variable: Buffer.from(`${MARK}=${text}\0`),
    limit: new RegExp(`^Max realtime timeout +${limit} `, 'm'),
  };
  const names = await readdir('/proc').catch(() => []);
  const marked = await Promise.all(
    names.filter((name) => /^\d+$/.test(name)).map((pid) => hasMark(pid, mark)),
  );
  return marked.filter((pid) => pid !== undefined);
}

/** The environment of others, and of a process that has just ended, cannot be read: those are not ours. */
async function hasMark(pid: string, mark: { variable: Buffer; limit: RegExp }): Promise<number | undefined> {
  const [limits, environment] = await Promise.all([
    readFile(`/proc/${pid}/limits`, 'utf8').catch(() => ''),
    readFile(`/proc/${pid}/environ`).catch(() => undefined),
  ]);
  return mark.limit.test(limits) || environment?.includes(mark.variable) ? Number(pid) : undefined;
}
