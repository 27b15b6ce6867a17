/**
 * What code writes as one word: an identifier, a path, a version, an address. People remember it in parts, in another
 * spelling, or with other numbers in it, so it is taken apart the same way wherever it stands.
 */
export type Identifier = Readonly<{
  /** The words it is made of, as written. */
  parts: readonly string[];
  /** What it is as a whole, however it is spelled: a path by its last two names and by its last. */
  wholes: readonly string[];
}>;

export function readIdentifier(written: string): Identifier {
  if (isOpaque(written)) return { parts: [], wholes: [written] };
  const version = VERSION.exec(written);
  if (version) return { parts: [], wholes: versionsOf(version[1]!) };
  const [name, lines] = withoutPlace(written);
  const parts = splitWords(name);
  if (parts.length === 1 && lines.length === 0) return { parts, wholes: [] };
  const wholes = new Set(name.includes('/') ? endsOf(name) : [parts.join('')]);
  for (const part of parts) wholes.delete(part);
  return { parts: [...parts, ...lines], wholes: [...wholes] };
}

/** Hashes, addresses in memory, ids made at random: nothing inside them is a word. */
const HEX = /^(?:0x)?(?=\p{L}*\d)[\da-f]{12,}$|^0x[\da-f]+$|^[\da-f]{7,}$/iu;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function isOpaque(word: string): boolean {
  return UUID.test(word) || (/\d/.test(word) && /[a-f]/i.test(word) && HEX.test(word));
}

/** 3.2.1, v3.2, 22.14.0-rc.1. A time of day and an amount look alike and are kept the same way. */
const VERSION = /^v?(\d+(?:[.:]\d+)*)(?:-(?:alpha|beta|rc|dev|next)[.\d-]*)?$/i;

/** Whoever asks about 3.2 means 3.2.1 as well. */
function versionsOf(number: string): string[] {
  const all = number.split('.');
  return all.length === 3 ? [number, all.slice(0, 2).join('.')] : [number];
}

/** Line and column behind a file, or a port behind a host: apart, since the lines of a file move. */
function withoutPlace(word: string): readonly [name: string, lines: readonly string[]] {
  const place = /(?::\d+){1,2}$/.exec(word);
  const name = word.slice(0, place?.index);
  return place && /\p{L}/u.test(name) ? [name, place[0].slice(1).split(':')] : [word, []];
}

function splitWords(word: string): string[] {
  return word
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[\s._\-/:'’]+/u)
    .filter((part) => part !== '');
}

/** A path is written from here or from the root: what it ends with is the same. */
function endsOf(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return [names.slice(-2), names.slice(-1)].map((end) => splitWords(end.join('/')).join(''));
}
