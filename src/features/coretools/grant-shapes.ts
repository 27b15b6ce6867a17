import { SUBCOMMANDS } from './known-commands.ts';

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
export function commandShape(command: string): Readonly<Record<string, string>> {
  const words = command.trim().split(/ +/);
  const known = SUBCOMMANDS.find(({ name }) => name.every((word, i) => words[i] === word));
  if (!known) return { exactly: command };
  const rest = words.slice(known.name.length);
  const script = known.takes === 'script' ? rest.splice(0, 1) : [];
  const isNamed = known.takes !== 'script' || SCRIPT.test(script[0] ?? '');
  const isPlain = rest.every(
    (word) => word === '--' || (word.startsWith('-') ? known.options : OPERAND).test(word),
  );
  return isNamed && isPlain ? { command: `${[...known.name, ...script].join(' ')} *` } : { exactly: command };
}
