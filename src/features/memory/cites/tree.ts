// The files of a project as one caller has them: the workspace of file tools, and nothing of it that is hidden or a key.
import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { BoundedMap } from '../../../kernel/bounded-map.ts';
import { headOf, withGit } from '../../../kernel/git/git.ts';
import { type GitPlace, gitPlaceOf, readSmall } from '../../../kernel/git/place.ts';
import { join } from 'node:path';
import type { Located, Workspace } from '../../../kernel/workspace.ts';
import { type NormalText, normalise } from './normal.ts';
import { isCitable } from './written.ts';

/** A file as it was looked at: where it lies, and what it was then. */
export type FileNow = Readonly<{ stamp: string; place: Located; size: number }>;

export interface Tree {
  readonly root: string;
  /** What the file is now, and where it really lies; undefined when there is none that may be read. */
  look(path: string): Promise<FileNow | undefined>;
  /** What it says; undefined for what is no text, too large, or kept from the caller. Who has just looked at it says so. */
  read(path: string, looked?: FileNow): Promise<NormalText | undefined>;
  /** Everything of the project that is text as far as its name tells. */
  list(): Promise<readonly string[]>;
  /** The commit that is checked out. */
  commit(): Promise<string | undefined>;
  /** Another whenever files were added, taken away or committed, as far as git knows. */
  stamp(): Promise<string>;
  /** Where git says that a file of a commit is called now. */
  renamed(commit: string, path: string): Promise<string | undefined>;
  /** A file as it was. */
  readAt(commit: string, path: string): Promise<NormalText | undefined>;
}

type TreeParts = Readonly<{
  space: Workspace;
  /** What policy says about reading it. */
  mayRead(path: string): Promise<boolean>;
}>;

const LARGEST = 512 * 1024;
const KEPT = 32;
const MOST_FILES = 20_000;
const COMMIT = /^[0-9a-f]{40,64}$/;

/** Prepared texts are shared by all trees; their key is where the file lies and what it is. */
const prepared = new BoundedMap<string, NormalText>(KEPT);

export function openTree({ space, mayRead }: TreeParts): Tree {
  let place: Promise<GitPlace | undefined> | undefined;
  const repository = () => (place ??= gitPlaceOf(space.root));

  async function look(path: string): Promise<FileNow | undefined> {
    if (!isCitable(path)) return undefined;
    try {
      const located = await space.locate(path);
      // A link to what is hidden is hidden.
      if (!isCitable(located.name)) return undefined;
      const found = await stat(located.path, { bigint: true });
      if (!found.isFile() || !(await mayRead(located.name))) return undefined;
      return { place: located, stamp: `${located.path}\0${stampOf(found)}`, size: Number(found.size) };
    } catch {
      return undefined;
    }
  }

  async function read(path: string, looked?: FileNow): Promise<NormalText | undefined> {
    const now = looked ?? (await look(path));
    if (!now || now.size > LARGEST) return undefined;
    const known = prepared.get(now.stamp);
    if (known) return known;
    const text = await readText(space, now.place);
    if (text === undefined) return undefined;
    const file = normalise(text);
    prepared.set(now.stamp, file);
    return file;
  }

  async function commit(): Promise<string | undefined> {
    const git = await repository();
    if (!git) return undefined;
    const head = await headOf(git.own).catch(() => undefined);
    if (head === undefined || !head.startsWith('refs/')) return head;
    const loose = (await readSmall(join(git.common, head))).trim();
    if (COMMIT.test(loose)) return loose;
    const packed = await readSmall(join(git.common, 'packed-refs'));
    return packed
      .split('\n')
      .find((line) => line.endsWith(` ${head}`))
      ?.slice(0, -head.length - 1);
  }

  async function ask(args: readonly string[], index?: 'copy'): Promise<string | undefined> {
    const git = await repository();
    if (!git) return undefined;
    const use = { place: git, ...(index && { index, files: space.root }) };
    return withGit(use, async (own) => {
      const { code, stdout } = await own.ask(...args);
      return code === 0 ? stdout : undefined;
    }).catch(() => undefined);
  }

  return {
    root: space.root,
    look,
    read,
    commit,
    async list() {
      const listed = await ask(['ls-files', '-z', '--cached', '--others', '--exclude-standard'], 'copy');
      const names = (listed ?? '').split('\0').filter((name) => name !== '' && isCitable(name));
      return [...new Set(names)].slice(0, MOST_FILES);
    },
    async stamp() {
      const git = await repository();
      const index = git && (await stat(join(git.own, 'index'), { bigint: true }).catch(() => undefined));
      return `${(await commit()) ?? ''} ${index ? stampOf(index) : ''}`;
    },
    async renamed(from, path) {
      if (!COMMIT.test(from)) return undefined;
      const told = await ask(['diff', '--name-status', '-M', '-z', '--diff-filter=R', from, 'HEAD', '--']);
      const parts = (told ?? '').split('\0');
      for (let i = 0; i + 2 < parts.length; i += 3) if (parts[i + 1] === path) return parts[i + 2];
      return undefined;
    },
    async readAt(from, path) {
      if (!COMMIT.test(from)) return undefined;
      const text = await ask(['cat-file', 'blob', `${from}:${path}`]);
      return text === undefined ? undefined : normalise(text);
    },
  };
}

function stampOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev}.${ino}.${size}.${mtimeNs}.${ctimeNs}`;
}

/** The file that is opened is judged once more, so that a link swapped in between is noticed. */
async function readText(space: Workspace, place: Located): Promise<string | undefined> {
  const handle = await space.openFile(place).catch(() => undefined);
  if (!handle) return undefined;
  try {
    const bytes = await handle.readFile();
    return bytes.length > LARGEST || bytes.subarray(0, 8_000).includes(0)
      ? undefined
      : bytes.toString('utf8');
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}
