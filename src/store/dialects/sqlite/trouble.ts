import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toHubError } from '../../../kernel/errors.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { sql } from '../../sql.ts';
import type { Writer } from './writer.ts';

/** Less than this and the next change may not fit. */
const LEAST_BYTES = 1 << 20;

/**
 * Looks at the disk, and tries again what failed last: a disk that has room once more is well, and one that was never
 * written to since may not be. A hub that is well is asked for nothing but the disk's own count.
 */
export async function findTrouble(path: string, writer: Writer): Promise<string | undefined> {
  const full = await isFull(path);
  if (full) return `Nothing more can be saved: the disk of ${path} is full.`;
  if (!writer.fault()) return undefined;
  try {
    await writer.write(systemActor, (tx) =>
      tx.run(sql`update counters set value = value where name = 'events'`),
    );
    return undefined;
  } catch (thrown) {
    return toHubError(thrown).message;
  }
}

/** A file system that counts nothing is not full. */
async function isFull(path: string): Promise<boolean> {
  try {
    const { blocks, bavail, bsize } = await statfs(dirname(path));
    return blocks > 0 && bavail * bsize < LEAST_BYTES;
  } catch {
    return false; // no answer about the disk is no answer about the hub
  }
}
