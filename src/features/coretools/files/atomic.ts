import { randomBytes } from 'node:crypto';
import { type FileHandle, link, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { HubError, unlessUnknown } from '../../../kernel/errors.ts';
import { unlessMissing } from '../../../kernel/maybe-file.ts';
import { createKeyedTurns } from '../../../kernel/turns.ts';
import { explain, type Located, type Workspace } from '../../../kernel/workspace.ts';

export function hashOf(bytes: Uint8Array): string {
  return sha256(bytes);
}

const MOST_BYTES = 64 * 1024 * 1024;

/** A file as it is now, or nothing. */
export async function readWhole(
  workspace: Workspace,
  place: Located,
): Promise<{ bytes: Buffer; mode: number } | undefined> {
  let handle: FileHandle;
  try {
    handle = await workspace.openFile(place);
  } catch (error) {
    return unlessUnknown(error);
  }
  try {
    const { size, mode } = await handle.stat();
    if (size > MOST_BYTES)
      throw new HubError(
        'too_large',
        `${place.name} has ${size} bytes; this tool takes at most ${MOST_BYTES}.`,
      );
    return { bytes: await handle.readFile(), mode: mode & 0o7777 };
  } finally {
    await handle.close();
  }
}

/**
 * Whole or not at all: written beside, synced, then put in place. `create` never replaces: the name must
 * still be free at the very moment the file appears. Its folder is held open meanwhile, so that it cannot
 * become another one.
 */
export async function writeWhole(
  workspace: Workspace,
  place: Located,
  file: Readonly<{ bytes: Uint8Array; mode: number; create: boolean }>,
): Promise<void> {
  const name = basename(place.path);
  await workspace.inFolder(dirname(place.path), async (base) => {
    const draft = join(base, `.${name.slice(0, 100)}.${randomBytes(6).toString('hex')}.tmp`);
    const handle = await open(draft, 'wx', file.mode).catch((error: unknown) => {
      throw explain(error, place.name);
    });
    try {
      try {
        await handle.writeFile(file.bytes);
        await handle.chmod(file.mode);
        await handle.sync();
      } finally {
        await handle.close();
      }
      if (file.create) await link(draft, join(base, name));
      else await rename(draft, join(base, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw new HubError('conflict', `${place.name} exists already.`).because(error);
      throw explain(error, place.name);
    } finally {
      await unlink(draft).catch(unlessMissing);
    }
  });
}

/** Changes of one file take turns, so that the check and the write belong together. */
export const inTurn = createKeyedTurns();

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
