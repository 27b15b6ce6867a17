// What "always" may mean for a file, an address and a command: only what the hub itself can tell apart by what the call would do.
import { REMOTE_SUBCOMMANDS, SUBCOMMANDS } from './shell/known-commands.ts';

type Shape = Readonly<Record<string, string>>;

/**
 * A grant for one file reaches its neighbours in the same folder, and nothing above or below. What is hidden is
 * no neighbour: `.git`, `.envrc` and `.mcp.json` say what other programs run, so each is granted for itself alone.
 * `path` is where it leads.
 */
export function folderPattern(path: string): string {
  const at = path.lastIndexOf('/');
  if (path.startsWith('.', at + 1)) return path;
  return at < 0 ? './*' : `${path.slice(0, at)}/*`;
}

/**
 * This file alone, or everything below one of its folders up to the project. `path` is where it leads, links resolved. What is
 * hidden (`.git`, `.github`, `.env`) is below no folder but its own: settings of tools that run by themselves lie there. Outside
 * the workspace there are no such folders.
 */
export function pathLadder(path: string): readonly Shape[] {
  const near: Shape[] = [{ file: path }, { path: folderPattern(path) }];
  const names = path.split('/');
  if (path.startsWith('/') || path === '.' || names.includes('..')) return near;
  const folders = names.slice(0, -1);
  const depths = folders.map((_, at) => folders.length - at).concat(0);
  return [
    ...near,
    ...depths
      .filter((depth) => names.slice(depth).every((name) => !name.startsWith('.')))
      .map((depth) => ({ below: depth === 0 ? '.' : folders.slice(0, depth).join('/') })),
  ];
}

/** Anything that a server may read as another path than we do. */
const AMBIGUOUS = /[%\\;]|\/\//;

/** This address, or all that begin with one of its folders. An address with a name or password in it is allowed as it stands. */
export function urlLadder(text: string): readonly Shape[] {
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return [];
  const { origin, pathname, search } = url;
  if (origin === 'null') return [];
  const page = { page: `${origin}${pathname}${search}` };
  const all = { url: `${origin}/*` };
  if (AMBIGUOUS.test(pathname)) return [page, all];
  const folders = pathname.split('/').slice(1, -1);
  return [
    page,
    ...folders.map((_, at) => ({ begins: `${origin}/${folders.slice(0, folders.length - at).join('/')}/` })),
    all,
  ];
}

/**
 * A word that names something in the workspace, a revision or a number. No wild card: a file may be named
 * like an option.
 */
const OPERAND = /^(?![-~/])(?!.*(?:^|\/)\.\.(?:\/|$))[\w./@^:+,=-]{1,300}$/;

const SCRIPT = /^[a-z][\w:-]{0,60}$/i;

/**
 * What "always" would allow of a command. `git status -s` is `git status *`: a subcommand of the table with
 * options of the table and plain words. Everything else is allowed exactly as it stands: a program that
 * reads, removes or runs whatever it is given must not be allowed for everything because it was allowed for
 * one thing.
 */
export function commandShape(command: string): Shape {
  const known = knownPartOf(command);
  return known ? { command: `${known.kept.join(' ')} *` } : { exactly: command };
}

/**
 * The words of a known command kept one by one, from all but the last to the shape above; of one that reaches a remote, the
 * remote is always kept. Nothing else is offered: what other programs make of their words is not known here.
 */
export function commandLadder(command: string): readonly Shape[] {
  const known = knownPartOf(command) ?? remotePartOf(command);
  if (!known) return [];
  const { kept, rest } = known;
  return rest.map((_, at) => ({
    command: `${[...kept, ...rest.slice(0, rest.length - 1 - at)].join(' ')} *`,
  }));
}

type Parts = Readonly<{ kept: readonly string[]; rest: readonly string[] }>;

function knownPartOf(command: string): Parts | undefined {
  const words = command.trim().split(/ +/);
  const known = SUBCOMMANDS.find(({ name }) => name.every((word, i) => words[i] === word));
  if (!known) return undefined;
  const rest = words.slice(known.name.length);
  const script = known.takes === 'script' ? rest.splice(0, 1) : [];
  const isNamed = known.takes !== 'script' || SCRIPT.test(script[0] ?? '');
  const isPlain = rest.every(
    (word) => word === '--' || (word.startsWith('-') ? known.options : OPERAND).test(word),
  );
  return isNamed && isPlain ? { kept: [...known.name, ...script], rest } : undefined;
}

/** A remote by its name: an address, or a folder that is taken for one, could run what it likes. */
const REMOTE = /^[a-z][\w-]{0,60}$/i;
/** A branch or tag by its name. `+main` would force, `:main` would delete, `a:b` would write another one. */
const REF = /^(?!.*\.\.)[A-Za-z0-9_][\w./-]{0,200}$/;

function remotePartOf(command: string): Parts | undefined {
  const words = command.trim().split(/ +/);
  const known = REMOTE_SUBCOMMANDS.find(({ name }) => name.every((word, i) => words[i] === word));
  if (!known) return undefined;
  const after = words.slice(known.name.length);
  const at = after.findIndex((word) => !known.options.test(word));
  const refs = after.slice(at + 1);
  if (at < 0 || !REMOTE.test(after[at]!) || refs.length === 0 || !refs.every((word) => REF.test(word)))
    return undefined;
  return { kept: [...known.name, ...after.slice(0, at + 1)], rest: refs };
}
