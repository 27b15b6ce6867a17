// Citations as they are written: in a list, or in the middle of a sentence. Pure: what is there is looked up elsewhere.
import { HubError } from '../../../kernel/errors.ts';

/** Without lines it is all of the file. */
export type WrittenCite = Readonly<{ path: string; from?: number; to?: number }>;

const LONGEST_CITE = 500;
export const MOST_CITES = 12;
const MOST_NAMES = 6;
const LAST_LINE = 1_000_000;

const LINES = /(?::(\d{1,7})(?:-(\d{1,7}))?(?::\d{1,7})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)$/;

/** One that somebody gave as a citation: what is wrong with it is said. */
export function readCite(given: string): WrittenCite {
  const cite = parse(given.trim());
  if (cite === undefined)
    throw new HubError('invalid', `${JSON.stringify(given)} is no citation.`, {
      hint: 'Write a path inside the project, with lines if you like: src/app.ts:40-52.',
    });
  if (!isCitable(cite.path))
    throw new HubError(
      'invalid',
      `${cite.path} cannot be cited: it leads outside the project, or is hidden or a key.`,
      {
        hint: 'Cite a plain file of the project, by its path from the top.',
      },
    );
  return cite;
}

function parse(given: string): WrittenCite | undefined {
  const found = LINES.exec(given);
  const path = (found ? given.slice(0, found.index) : given).replace(/^\.\//, '');
  if (path === '' || path.includes('\0') || path.includes('\n')) return undefined;
  if (!found) return { path };
  const from = Number(found[1] ?? found[3]);
  const to = Number(found[2] ?? found[4] ?? from);
  return from < 1 || to < from || to > LAST_LINE ? undefined : { path, from, to };
}

/** Names of keys and of what holds them, whatever folder they are in. */
const SECRET =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|credentials|secrets?)(?:\.|$)|\.(?:pem|key|p12|pfx|jks|keystore|kdbx|tfstate)$/i;

/**
 * Inside the project as far as words tell, and nothing that tools pass over: no way up or out, nothing hidden (`.git`,
 * `.env`), nothing that is named like a key. Where it really leads is judged when it is opened.
 */
export function isCitable(path: string): boolean {
  if (path.length > LONGEST_CITE || /^(?:[/\\~]|[A-Za-z]:)/.test(path) || path.includes('\\')) return false;
  return path.split('/').every((part) => part !== '' && !part.startsWith('.') && !SECRET.test(part));
}

/** `a/b.ts`, `b.ts:3`, `a/b.ts#L3-L9`: a name with an ending, or several folders. */
const IN_TEXT =
  /(?<![\p{L}\p{N}_@:/.\\-])(?:\.\/)?(?:[\p{L}\p{N}_@+-][\p{L}\p{N}_@.+-]*\/)*[\p{L}\p{N}_@+-][\p{L}\p{N}_@.+-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?:(?::\d{1,7}(?:-\d{1,7})?)|(?:#L\d{1,7}(?:-L?\d{1,7})?))?(?![\p{L}\p{N}_/])/gu;

/** What a text names as a path, in order, each once. Most of it may be none: `e.g.`, `node.js`, a host. */
export function citesIn(text: string): WrittenCite[] {
  const found = new Map<string, WrittenCite>();
  for (const [written] of text.matchAll(IN_TEXT)) {
    const cite = parse(written);
    if (!cite || !isCitable(cite.path)) continue;
    found.set(`${cite.path}:${cite.from ?? ''}-${cite.to ?? ''}`, cite);
    if (found.size >= 2 * MOST_CITES) break;
  }
  return [...found.values()];
}

/** Names in backticks that can only be code: `getUserById`, `MAX_RETRIES`, `session.open()`. */
export function namesIn(text: string): string[] {
  const names = [...text.matchAll(/`([^`\n]{3,80})`/g)]
    .map(([, name]) => name!.replace(/\(.*\)$/, ''))
    .filter(
      (name) =>
        /^[A-Za-z_$][\w$]{3,}$/.test(name) && /[a-z][A-Z]|_|\d|^[A-Z][a-z]+[A-Z]|^[A-Z]{4,}$/.test(name),
    );
  return [...new Set(names)].slice(0, MOST_NAMES);
}
