// A small disk that fills up and comes back read-only. Only some may mount one.
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../src/kernel/clock.ts';
import { makeScratch } from '../fixtures/scratch.ts';

export type Disk = Readonly<{
  folder: string;
  fill(ms: number): Promise<void>;
  /** Only while nobody writes to it. */
  readOnly(meanwhile: () => Promise<void>): Promise<void>;
  close(): void;
}>;

const MEGABYTES = 192;
const BLOCK = 64 * 1024;

/** Undefined where none can be mounted. */
export function mountDisk(): Disk | undefined {
  const folder = makeScratch('test');
  const { status } = spawnSync('mount', [
    '-t',
    'tmpfs',
    '-o',
    `size=${MEGABYTES}m,mode=700`,
    'tmpfs',
    folder,
  ]);
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const mounted = (how: string): void => void execFileSync('mount', ['-o', `remount,${how}`, folder]);
  return {
    folder,
    async fill(ms) {
      const ballast = join(folder, 'ballast');
      const until = performance.now() + ms;
      let size = 0;
      // What is given back meanwhile is taken as well.
      while (performance.now() < until) {
        const { bavail, bsize } = statfsSync(folder);
        size += Math.max(0, bavail * bsize - BLOCK);
        try {
          writeFileSync(ballast, Buffer.alloc(size));
        } catch {
          // Somebody was faster: it is full all the same.
        }
        await pause(100);
      }
      rmSync(ballast, { force: true });
    },
    async readOnly(meanwhile) {
      mounted('ro');
      await meanwhile().finally(() => mounted('rw'));
    },
    close() {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
