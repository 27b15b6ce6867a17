import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../test/fixtures/databases.ts';
import { startGit } from './process.ts';

const PATIENCE = { timeout: 20_000, interval: 20 };

/** Says who started it, and waits for as long as it is told to. */
function aliases(): string {
  const folder = freshFolder();
  execFileSync('git', ['init', '-q', folder]);
  const alias = (name: string, program: string) =>
    execFileSync('git', ['-C', folder, 'config', `alias.${name}`, `!${program}`]);
  // The parent of the shell is git, and whose child git is stands in its status.
  alias('above', 'cat /proc/$PPID/status');
  alias('hang', 'echo $$ > hanging; exec sleep 60');
  writeFileSync(join(folder, 'kept'), '');
  return folder;
}

const startIn = (cwd: string, args: readonly string[], signal?: AbortSignal) =>
  startGit({ cwd, args, env: { HOME: cwd }, signal });

async function starterOf(folder: string): Promise<number> {
  const { stdout } = await startIn(folder, ['above']);
  return Number(/^PPid:\s+(\d+)$/m.exec(stdout)?.[1]);
}

it('who uses git often has it started by a process beside; one that is gone is followed by another', async () => {
  const folder = aliases();
  expect(await starterOf(folder)).toBe(process.pid);
  await expect.poll(() => starterOf(folder), PATIENCE).not.toBe(process.pid);
  const beside = await starterOf(folder);
  expect(await startIn(folder, ['hash-object', 'kept'])).toMatchObject({ code: 0, stderr: '' });
  expect(await startIn(folder, ['no-such-word'])).toMatchObject({ code: 1 });
  // What it was at when it ended is not tried again: nobody knows how far it came.
  const hanging = startIn(folder, ['hang']);
  await expect.poll(() => pidIn(folder), PATIENCE).toBeGreaterThan(0);
  process.kill(beside, 'SIGKILL');
  await expect(hanging).rejects.toThrow('git hang did not come to an end.');
  endWhatHangs(folder);
  await expect.poll(() => starterOf(folder), PATIENCE).not.toBe(process.pid);
  expect(await starterOf(folder)).not.toBe(beside);
});

it('what nobody wants any more is ended there', async () => {
  const folder = aliases();
  await expect.poll(() => starterOf(folder), PATIENCE).not.toBe(process.pid);
  const stop = new AbortController();
  const hanging = startIn(folder, ['hang'], stop.signal);
  await expect.poll(() => pidIn(folder), PATIENCE).toBeGreaterThan(0);
  stop.abort();
  await expect(hanging).rejects.toThrow('git hang did not come to an end.');
  endWhatHangs(folder);
  await expect(startIn(folder, ['hash-object', 'kept'], stop.signal)).rejects.toThrow(
    'did not come to an end',
  );
});

/** Of what git started something may be left, or nothing. */
function endWhatHangs(folder: string): void {
  try {
    process.kill(pidIn(folder));
  } catch (error) {
    expect(error).toMatchObject({ code: 'ESRCH' });
  }
}

function pidIn(folder: string): number {
  try {
    return Number(readFileSync(join(folder, 'hanging'), 'utf8'));
  } catch {
    return 0;
  }
}
