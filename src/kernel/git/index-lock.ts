// The lock that every git takes before it writes the index of a checkout. While the hub has it no commit is made there from files that are
// about to change; one that a dead hub left is known by its word in it.
import { copyFile, open, rename, rm, stat, utimes } from 'node:fs/promises';
import { HubError } from '../errors.ts';
import { isThere } from '../process/signal.ts';
import type { Git } from './git.ts';
import { readSmall } from './place.ts';

/** Works on a copy of the index, which takes the place of the index itself when the work is done. */
export async function withIndexLock(git: Git, work: (git: Git) => Promise<void>): Promise<void> {
  const lock = `${git.index}.lock`;
  await takeLock(lock);
  const beside = `${git.index}.holdfast-${process.pid}`;
  try {
    const { atimeMs, mtimeMs } = await stat(git.index);
    await copyFile(git.index, beside);
    // By its time git knows which entries it may trust without reading the files.
    await utimes(beside, atimeMs / 1_000, mtimeMs / 1_000);
    await work(git.over(beside));
    await rename(beside, git.index);
  } finally {
    await rm(beside, { force: true });
    await rm(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  await dropDeadLock(lock);
  const file = await open(lock, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new HubError('conflict', `Another git is at work: ${lock} is there.`, {
      hint: 'If none is, remove that file.',
    });
  });
  await file.writeFile(`holdfast ${process.pid}\n`);
  await file.close();
}

/** Takes away the lock of a hub that is gone, and nobody else's. */
export async function dropDeadLock(lock: string): Promise<void> {
  const [, pid] = /^holdfast (\d{1,10})\n$/.exec(await readSmall(lock)) ?? [];
  if (pid !== undefined && !isThere(Number(pid))) await rm(lock, { force: true });
}
