import { lstat, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { HubError } from '../../../kernel/errors.ts';
import { inTime } from './bounded.ts';

/** Where to look. All paths are relative to the workspace, with forward slashes, and '' is the workspace itself. */
export type SearchGround = Readonly<{
  root: string;
  /** The folder to search, or the one file. */
  folder: string;
  /** Where the caller stands: globs with a slash start here. */
  base: string;
  /** Folders that stay closed. */
  closed: ReadonlySet<string>;
}>;

export type WalkOptions = Readonly<{ respectIgnore: boolean; includeHidden: boolean; signal: AbortSignal }>;

/** A rule file applies below the folder it stands in. */
type Rules = Readonly<{ base: string; rules: Ignore }>;
type Folder = Readonly<{ folder: string; rules: readonly Rules[] }>;

const RULE_FILES: ReadonlySet<string> = new Set(['.gitignore', '.ignore']);
const AT_ONCE = 16;
const MOST_RULES = 1024 * 1024;

/**
 * Every file under a folder as a path relative to the workspace, with forward slashes. Links are not followed, `.git` is never
 * entered, and a folder that git ignores is not even opened. Several folders are read at once.
 */
export async function* walk({ root, folder: start, closed }: SearchGround, { respectIgnore, includeHidden, signal }: WalkOptions) {
  const open: Folder[] = [{ folder: start, rules: respectIgnore ? await rulesAbove(root, start) : [] }];
  while (open.length > 0) {
    signal.throwIfAborted();
    const batch = open.splice(-AT_ONCE);
    const listed = await Promise.all(batch.map(list));
    const found = inTime(() => listed.map(pick));
    if (!found) throw tooSlow();
    for (const { files, folders } of found) {
      open.push(...folders);
      if (files.length > 0) yield files;
    }
  }

  async function list({ folder, rules: above }: Folder) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(unlessGone);
    const hasRules = respectIgnore && entries.some(({ name }) => RULE_FILES.has(name) || name === '.git');
    return { folder, entries, rules: hasRules ? [...above, ...(await rulesOf(root, folder))] : above };
  }

  function pick({ folder, entries, rules }: Awaited<ReturnType<typeof list>>): { files: string[]; folders: Folder[] } {
    const files: string[] = [];
    const folders: Folder[] = [];
    for (const entry of entries) {
      if (entry.name === '.git' || (!includeHidden && entry.name.startsWith('.'))) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (!closed.has(path) && !isIgnored(`${path}/`, rules)) folders.push({ folder: path, rules });
      } else if (entry.isFile() && !isIgnored(path, rules)) files.push(path);
    }
    return { files, folders };
  }
}

/** The rules of the folders above; none when they ignore the folder itself, because whoever names it wants to see it. */
async function rulesAbove(root: string, start: string): Promise<Rules[]> {
  const rules: Rules[] = [];
  const parts = start === '' ? [] : start.split('/');
  for (let depth = 0; depth < parts.length; depth += 1) {
    rules.push(...(await rulesOf(root, parts.slice(0, depth).join('/'))));
    const path = `${parts.slice(0, depth + 1).join('/')}/`;
    const verdict = inTime(() => ({ isIgnored: isIgnored(path, rules) }));
    if (!verdict) throw tooSlow();
    if (verdict.isIgnored) return [];
  }
  return rules;
}

async function rulesOf(root: string, folder: string): Promise<Rules[]> {
  const names = [...RULE_FILES, ...(folder === '' ? ['.git/info/exclude'] : [])];
  const texts = await Promise.all(names.map((name) => readRules(join(root, folder, name))));
  const text = texts.join('\n');
  return text.trim() === '' ? [] : [{ base: folder, rules: ignore().add(text) }];
}

/** A rule file that is a link, a pipe or a giant is none. */
async function readRules(path: string): Promise<string> {
  const facts = await lstat(path).catch(() => undefined);
  if (!facts?.isFile() || facts.size > MOST_RULES) return '';
  return readFile(path, 'utf8').catch(() => '');
}

function tooSlow(): HubError {
  return new HubError('invalid', 'The .gitignore files here take too long: one of their patterns backtracks without end.', {
    denied: 'finding:slow',
    hint: 'Search another folder, or mend the pattern.',
  });
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
