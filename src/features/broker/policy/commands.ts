// The commands of a line as they would run, for rules that deny or ask. A shell knows more ways; the sandbox
// is the wall.
import { collapse, foldShell } from '../inspectors/normalise.ts';
import { matchesPattern } from '../pattern.ts';

const COMMAND_NAMES = new Set(['command', 'cmd', 'script']);
const MOST_COMMAND = 100_000;

export function isCommandName(name: string): boolean {
  return COMMAND_NAMES.has(name);
}

/**
 * Whoever denies `rm *` means `cd x; sudo /bin/rm y`, `xargs rm` and `timeout 5 rm y`, too; whoever denies
 * `git push *` means `git push` and `git -C x push`.
 */
export function runsCommand(pattern: string, line: string): boolean {
  const { whole, commands } = read(line.slice(0, MOST_COMMAND));
  if (matchesCommand(pattern, whole)) return true;
  return commands.some((command) => isRun(pattern, command));
}

type Line = Readonly<{ text: string; whole: string; commands: readonly SeenCommand[] }>;

/** Made once for a line, since every rule of a policy looks at it. */
type SeenCommand = Readonly<{
  /** As it stands, with the program by its name alone, and without what stands before a subcommand. */
  forms: readonly string[];
  /** Of a launcher: what it is given, and where in that the words begin. */
  given: string;
  starts: readonly number[];
}>;

let last: Line = { text: '', whole: '', commands: [] };

function read(text: string): Line {
  if (last.text === text) return last;
  // A line end parts commands; folding would make a blank of it.
  const plain = foldShell(text.replace(/\\\r?\n/g, '').replace(/[\r\n]+/g, ' ; '));
  // With what is read and written left out, and with it as if it were a command of its own: `<x rm y` runs rm.
  const forms = [...new Set([plain.replace(REDIRECTION, ' '), plain])];
  const found = new Set(forms.flatMap((form) => form.split(/[;&|\n(){}<>]+/)).map((each) => each.trim()));
  last = { text, whole: collapse(text), commands: [...found].map(wordsOf).flatMap(seen) };
  return last;
}

const REDIRECTION = /\d{0,2}(?:<<<|<<-?|>>|<>|>\||[<>])&? ?[^\s;&|<>()]{1,4096}/g;
const KEYWORD = /^(?:then|do|else|elif|if|while|until|!|coproc|\w{1,100}=\S*)$/;

function wordsOf(command: string): readonly string[] {
  const words = command.split(' ');
  const first = words.findIndex((word) => !KEYWORD.test(word));
  // A quoted value of several words has lost its quotes by now: any word may be the first one.
  return /^\w{1,100}=/.test(words[0] ?? '') && first > 0
    ? ['env', ...words.slice(first)]
    : words.slice(first);
}

/** Programs that run what they are given. A program that is itself a variable could be any of them. */
const LAUNCHER =
  /^(?:(?:ba|da|z|k|a)?sh|fish|eval|xargs|timeout|ionice|chrt|taskset|unbuffer|parallel|watch|[sl]trace|ssh|chroot|flock|script|trap|find|env|exec|nice|nohup|stdbuf|setsid|time|command|builtin|busybox|sudo|doas|su|runuser|setpriv|unshare|nsenter|bwrap|systemd-run|caffeinate|npx|pnpx|bunx|\$.*)$/;
function seen([first = '', ...rest]: readonly string[]): SeenCommand[] {
  if (first === '') return [];
  const program = first.replace(/^.*\//, '');
  const line = rest.join(' ');
  const forms = [
    `${first} ${line}`,
    `${program} ${line}`,
    ...withoutOptions(rest).map((left) => `${program} ${left}`),
  ];
  const starts: number[] = [];
  if (LAUNCHER.test(program)) {
    let at = 0;
    for (const word of rest) {
      starts.push(at + word.lastIndexOf('/') + 1);
      at += word.length + 1;
    }
  }
  return [{ forms: [...new Set(forms.map((form) => form.trimEnd()))], given: line, starts }];
}

/** A line that is made to be looked at from thousands of words is refused like what it hides. */
const [MOST_LOOKS, MOST_SEEN] = [500, 1_000];

function isRun(pattern: string, { forms, given, starts }: SeenCommand): boolean {
  if (forms.some((form) => matchesCommand(pattern, form))) return true;
  // What begins with a star has been held against all that could stand before.
  if (pattern.startsWith('*')) return false;
  const [begin = ''] = /^[^\s*?]+/.exec(pattern) ?? [];
  let looks = 0;
  for (const from of starts) {
    if (!given.startsWith(begin, from)) continue;
    if ((looks += 1) > MOST_LOOKS) return true;
    if (matchesCommand(pattern, given.slice(from, from + MOST_SEEN))) return true;
  }
  return false;
}

/** What follows the options that stand before a subcommand; each may have a value of its own. */
function withoutOptions(words: readonly string[]): string[] {
  const found: string[] = [];
  for (let at = 0; at < Math.min(words.length, 16); at += 1) {
    const isOption = words[at]!.startsWith('-');
    if (!isOption && !(at > 0 && words[at - 1]!.startsWith('-'))) break;
    found.push(words.slice(at + 1, at + 200).join(' '));
  }
  return found;
}

/** `git push *` also means the bare command. */
function matchesCommand(pattern: string, command: string): boolean {
  return (
    matchesPattern(pattern, command) ||
    (pattern.endsWith(' *') && matchesPattern(pattern.slice(0, -2), command))
  );
}
