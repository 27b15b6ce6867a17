import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HubError } from '../../kernel/errors.ts';
import type { World } from '../world.ts';

/**
 * A text in the editor of the person: what they leave, when `use` has taken it. What cannot be used stays in its file, and
 * the refusal names it: nothing typed is lost.
 */
export async function inEditor<T>(
  world: World,
  { name, text }: Readonly<{ name: string; text: string }>,
  use: (written: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-'));
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  openEditor(world, path);
  try {
    const used = await use(readFileSync(path, 'utf8'));
    rmSync(folder, { recursive: true });
    return used;
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    const hint = [error.hint, `Your text is in ${path}.`].filter(Boolean).join(' ');
    throw new HubError(error.code, error.message, { ...error.details, hint }).because(error.cause);
  }
}

export function openEditor({ env }: World, path: string): void {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  // Editors are named with arguments, too: `code --wait`.
  const { status, error } = spawnSync('sh', ['-c', `${editor} "$1"`, 'sh', path], {
    stdio: 'inherit',
    env,
  });
  if (status === 0) return;
  throw new HubError('unavailable', `${editor} ended with ${status ?? error?.message ?? 'a signal'}.`, {
    retryable: false,
    hint: 'Set EDITOR to a program you have; nothing was changed.',
  });
}
