import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../../kernel/replace-file.ts';
import type { Policy } from './policy.ts';
import { readPolicy } from './read.ts';

/**
 * A copy of the last policy that could be read, beside the file itself. A process that starts while the file
 * is broken has no good policy in its memory; without the copy it would be more permissive than the ones that
 * run already.
 */
function copyOf(path: string): string {
  return join(dirname(path), 'policy.last-good.yaml');
}

export async function keepLastGood(path: string, text: string): Promise<void> {
  const copy = copyOf(path);
  if ((await readFile(copy, 'utf8').catch(() => undefined)) === text) return;
  replaceFile(copy, text);
}

export async function readLastGood(path: string): Promise<Policy | undefined> {
  const text = await readFile(copyOf(path), 'utf8').catch(() => undefined);
  const read = text === undefined ? undefined : await readPolicy(text);
  return read?.ok ? read.policy : undefined;
}
