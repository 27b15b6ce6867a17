import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';

export type WalkOptions = Readonly<{ respectIgnore: boolean; includeHidden: boolean; signal: AbortSignal }>;

/** A rule file applies below the folder it stands in. */
type Rules = Readonly<{ base: string; rules: Ignore }>;

const AT_ONCE = 16;

/**
 * Every file under a folder as a path relative to it, with forward slashes. Links are not followed, `.git` is never
 * entered, and a folder that git ignores is not even opened. Several folders are read at once.
 */
export async function* walk(root: string, { respectIgnore, includeHidden, signal }: WalkOptions): AsyncGenerator<string[]> {
  const open: { folder: string; rules: readonly Rules[] }[] = [{ folder: '', rules: [] }];
  while (open.length > 0) {
    signal.throwIfAborted();
    const batch = open.splice(-AT_ONCE);
    const listed = await Promise.all(
      batch.map(async ({ folder, rules }) => ({ folder, ...(await list(join(root, folder), folder, rules)) })),
    );
    for (const { folder, entries, rules } of listed) {
      const files: string[] = [];
      for (const entry of entries) {
        if (entry.name === '.git' || (!includeHidden && entry.name.startsWith('.'))) continue;
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
        if (entry.isDirectory()) {
          if (!isIgnored(`${path}/`, rules)) open.push({ folder: path, rules });
        } else if (entry.isFile() && !isIgnored(path, rules)) files.push(path);
      }
      if (files.length > 0) yield files;
    }
  }

  async function list(path: string, folder: string, above: readonly Rules[]) {
    const entries = await readdir(path, { withFileTypes: true }).catch(unlessGone);
    if (!respectIgnore) return { entries, rules: above };
    const names = new Set(entries.map(({ name }) => name));
    const texts = await Promise.all(
      ['.gitignore', '.ignore'].filter((name) => names.has(name)).map((name) => readFile(join(path, name), 'utf8').catch(() => '')),
    );
    if (folder === '') texts.push(await readFile(join(path, '.git', 'info', 'exclude'), 'utf8').catch(() => ''));
    const text = texts.join('\n');
    return { entries, rules: text.trim() === '' ? above : [...above, { base: folder, rules: ignore().add(text) }] };
  }
}

/** The nearest file that says anything decides, as git has it. */
function isIgnored(path: string, rules: readonly Rules[]): boolean {
  for (const { base, rules: own } of rules.toReversed()) {
    const { ignored, unignored } = own.test(base === '' ? path : path.slice(base.length + 1));
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** A folder may vanish or be closed while we walk. */
function unlessGone(error: unknown): [] {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM' || code === 'ENOTDIR') return [];
  throw error;
}
