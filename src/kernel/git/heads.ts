// Where branches are, read from the files that refs are, without starting git: whoever watches them asks every few seconds.
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readSmall } from './place.ts';

export interface HeadReader {
  /** The commits of these branches; one that is not there, or is no name of a branch, is left out. */
  read(common: string, branches: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const COMMIT = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;
const MOST_PACKED = 64 * 1024 * 1024;

type Packed = Readonly<{ mark: string; heads: ReadonlyMap<string, string> }>;

export function createHeadReader(): HeadReader {
  const packed = new Map<string, Packed>();

  /** Read again only when git wrote it again. */
  async function packedOf(common: string): Promise<ReadonlyMap<string, string>> {
    const file = join(common, 'packed-refs');
    const facts = await stat(file).catch(() => undefined);
    if (!facts?.isFile() || facts.size > MOST_PACKED) return new Map();
    const mark = `${facts.ino} ${facts.mtimeMs} ${facts.size}`;
    const known = packed.get(common);
    if (known?.mark === mark) return known.heads;
    const heads = readPacked(await readFile(file, 'utf8'));
    packed.set(common, { mark, heads });
    return heads;
  }

  return {
    async read(common, branches) {
      const found = new Map<string, string>();
      const others = await packedOf(common);
      for (const branch of branches.filter(isBranchName)) {
        const loose = (await readSmall(join(common, 'refs', 'heads', branch))).trim();
        const head = loose === '' ? others.get(branch) : loose;
        if (head !== undefined && COMMIT.test(head)) found.set(branch, head);
      }
      return found;
    },
  };
}

function readPacked(text: string): ReadonlyMap<string, string> {
  const heads = new Map<string, string>();
  for (const line of text.split('\n')) {
    const at = line.indexOf(' refs/heads/');
    if (at > 0) heads.set(line.slice(at + ' refs/heads/'.length), line.slice(0, at));
  }
  return heads;
}

/** As `git check-ref-format` has it, as far as a file must be named by it: no way out of the folder. */
function isBranchName(name: string): boolean {
  return (
    name.length <= 200 &&
    !name.startsWith('-') &&
    !/[\0-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\.$/.test(name) &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  );
}
