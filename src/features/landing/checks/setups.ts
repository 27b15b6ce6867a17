// What a check needs beside its tree (installed packages, built caches): made once per key on a tree of the target, copied into each run.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import type { Git } from '../../../kernel/git/git.ts';
import type { Setup } from './definition.ts';

/** Which blob each key file is at a commit: another one is another set-up. */
export async function keyFilesAt(git: Git, commit: string, { key }: Setup): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const path of key) {
    const { code, stdout } = await git.ask(
      'rev-parse',
      '--verify',
      '--quiet',
      '--end-of-options',
      `${commit}:${path}`,
    );
    found[path] = code === 0 ? stdout.trim() : '';
  }
  return found;
}

type Keyed = Readonly<{
  setup: Setup;
  files: Readonly<Record<string, string>>;
  versions: string;
  /** A branch that changes a key file has one of its own. */
  of?: string | undefined;
}>;

export function setupKey({ setup: { run, network }, files, versions, of }: Keyed): string {
  return sha256(canonicalJson({ run, network, files, versions, of: of ?? null })).slice(0, 32);
}

let known: Promise<string> | undefined;

/** Of what set-ups build against. */
export function versionsHere(): Promise<string> {
  known ??= (async () => {
    const ask = (program: string) =>
      promisify(execFile)(program, ['--version'], { timeout: 5_000 }).then(
        ({ stdout }) => stdout.trim(),
        () => '',
      );
    const [node, npm, python] = await Promise.all(['node', 'npm', 'python3'].map(ask));
    return [process.platform, process.arch, node, npm, python].join(' ');
  })();
  return known;
}

/** Moves what git does not track out of the tree into the store, whole or not at all. */
export async function keepSetup(store: string, tree: string, untracked: readonly string[]): Promise<void> {
  const making = `${store}.making`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { recursive: true, mode: 0o700 });
  for (const path of untracked) {
    const to = join(making, path);
    await mkdir(join(to, '..'), { recursive: true });
    await rename(join(tree, path), to);
  }
  await writeFile(join(making, DONE), untracked.join('\n'));
  await rm(store, { recursive: true, force: true });
  await rename(making, store);
}

const DONE = '.holdfast-setup';

export const isKept = (store: string): boolean => existsSync(join(store, DONE));

/** When it was last made or copied; undefined for what is no whole set-up. */
export const usedAt = (store: string): Promise<number | undefined> =>
  stat(join(store, DONE)).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

/** Each run has its own: what a check changes in it is gone with the run. */
export async function copySetup(store: string, tree: string): Promise<void> {
  const now = new Date();
  await utimes(join(store, DONE), now, now);
  await cp(store, tree, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: (from) => from !== join(store, DONE),
  });
}
