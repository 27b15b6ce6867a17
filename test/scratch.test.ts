import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeScratch, sweepScratch } from './fixtures/scratch.ts';

it('removes what a process that was killed has left, and nothing of one that lives', () => {
  const { pid } = spawnSync(process.execPath, ['--eval', '']);
  const dead = `holdfast-test-${pid}-abc123`;
  mkdirSync(join(tmpdir(), dead, 'deep'), { recursive: true });
  const alive = makeScratch('test');
  expect(sweepScratch()).toContain(dead);
  expect([existsSync(join(tmpdir(), dead)), existsSync(alive)]).toEqual([false, true]);
  rmSync(alive, { recursive: true });
});
