// The commands of a line as they would run, for rules that deny or ask. A shell knows more ways; the sandbox
// is the wall.
import { collapse, foldShell, substituteVariables } from '../../../../kernel/inspect/normalise.ts';
import { matchesPattern } from '../pattern.ts';
import { isRenamed, isRenamedByVariable, linesOfGit, linesOfVariables } from './git-told.ts';
import { commandsIn, type ShellCommand, substitutionsIn } from './shell-words.ts';

const MOST_COMMAND = 100_000;

/**
 * Whoever denies `rm *` means `cd x; sudo /bin/rm y`, `xargs rm` and `timeout 5 rm y`, too; whoever denies
 * `git push *` means `git push`, `git -C "my folder" push` and `env A=1 git -C . push`, and a git that was given names
 * of its own, which may all be push.
 */
export function runsCommand(pattern: string, line: string): boolean {
  const { whole, commands, isTooMuch, isGitRenamed } = read(line.slice(0, MOST_COMMAND));
  if (isTooMuch || matchesCommand(pattern, whole)) return true;
  if (isGitRenamed && isOfGit(pattern)) return true;
  return commands.some((command) => isRun(pattern, command));
}

/** Does git run something in this line that its words do not say? */
export function isGitTold(line: string): boolean {
  const { commands, isGitRenamed } = read(line.slice(0, MOST_COMMAND));
  return isGitRenamed || commands.some((command) => [...insideGit(command)].length > 0);
}

type Line = Readonly<{
  whole: string;
  commands: readonly ShellCommand[];
  isTooMuch: boolean;
  isGitRenamed: boolean;
}>;

/** Made once for a line, since every rule of a policy looks at it. */
let last: Line & Readonly<{ text: string }> = {
  text: '',
  whole: '',
  commands: [],
  isTooMuch: false,
  isGitRenamed: false,
};

function read(text: string): Line {
  if (last.text === text) return last;
  const found: Found = { commands: new Map(), lines: new Set(), characters: 0 };
  readFolded(text, found);
  readWords(text, found, 0);
  const isTooMuch = found.characters > MOST_READ;
  const commands = [...found.commands.values()];
  const isGitRenamed =
    commands.some((command) => wordsOfGit(command).some(isRenamed)) ||
    (isRenamedByVariable(foldShell(text)) && commands.some((command) => wordsOfGit(command).length > 0));
  last = { text, whole: collapse(text), commands, isTooMuch, isGitRenamed };
  return last;
}

type Found = {
  readonly commands: Map<string, ShellCommand>;
  readonly lines: Set<string>;
  characters: number;
};

function note(found: Found, command: ShellCommand): void {
  found.commands.set(command.join('\0'), command);
}

const REDIRECTION = /\d{0,2}(?:<<<|<<-?|>>|<>|>\||[<>])&? ?[^\s;&|<>()]{1,4096}/g;

/** As a shell would make it of the text, variables and expansions put in place and all quotes gone. */
function readFolded(text: string, found: Found): void {
  // A line end parts commands; folding would make a blank of it.
  const plain = foldShell(text.replace(/\\\r?\n/g, '').replace(/[\r\n]+/g, ' ; '));
  // With what is read and written left out, and with it as if it were a command of its own: `<x rm y` runs rm.
  const forms = [...new Set([plain.replace(REDIRECTION, ' '), plain])];
  const parts = new Set(forms.flatMap((form) => form.split(/[;&|\n(){}<>]+/)).map((each) => each.trim()));
  for (const part of parts) {
    const words = part.split(' ');
    const [command] = commandsIn(part);
    // A quoted value of several words has lost its quotes by now: any word may be the first one.
    if (/^\w{1,100}=/.test(words[0] ?? '')) note(found, ['env', ...words.slice(1)]);
    else if (command) note(found, command);
  }
}

/** A line that is made of lines inside lines is refused like what it hides. */
const MOST_READ = 4 * MOST_COMMAND;
const DEEPEST = 8;

/** With quotes kept: what they hold is one word, and a line of its own where a launcher is given it. */
function readWords(text: string, found: Found, depth: number): void {
  const line = text.replace(/\\\r?\n/g, '').replace(/\$\{?IFS\}?/g, ' ');
  for (const form of new Set([line, substituteVariables(line)])) {
    found.characters += form.length;
    if (found.characters > MOST_READ) return;
    if (found.lines.has(form)) continue;
    found.lines.add(form);
    const commands = commandsIn(form);
    for (const command of commands) note(found, command);
    if (depth >= DEEPEST) continue;
    for (const word of commands.filter(isLauncher).flatMap((words) => words.slice(1)))
      if (/[\s;&|()]/.test(word)) readWords(word, found, depth + 1);
    for (const inner of [...commands.flatMap((words) => [...insideGit(words)]), ...linesOfVariables(form)])
      readWords(inner, found, depth + 1);
    for (const inner of substitutionsIn(form)) {
      if (found.characters > MOST_READ) return;
      readWords(inner, found, depth + 1);
    }
  }
}

/** The words behind git, where a command runs it: itself, or by a launcher. */
function wordsOfGit(words: ShellCommand): readonly ShellCommand[] {
  const at = isLauncher(words) ? words.findIndex((word) => isGit(word)) : isGit(words[0] ?? '') ? 0 : -1;
  return at < 0 ? [] : [words.slice(at + 1, at + 1 + MOST_OF_GIT)];
}

const MOST_OF_GIT = 1_000;

function* insideGit(command: ShellCommand): Iterable<string> {
  for (const words of wordsOfGit(command)) yield* linesOfGit(words);
}

function isGit(word: string): boolean {
  return baseOf(word) === 'git';
}

function isOfGit(pattern: string): boolean {
  return isGit(/^[^\s*?]+/.exec(pattern)?.[0] ?? '');
}

/** Every command of a line as a shell would part it, those inside others among them. */
export function allCommandsIn(line: string): readonly ShellCommand[] {
  const found: Found = { commands: new Map(), lines: new Set(), characters: 0 };
  readWords(line.slice(0, MOST_COMMAND), found, 0);
  return [...found.commands.values()];
}

/** Programs that run what they are given. A program that is itself a variable could be any of them. */
const LAUNCHER =
  /^(?:(?:ba|da|z|k|a|c|tc)?sh|fish|eval|source|\.|xargs|timeout|ionice|chrt|taskset|numactl|prlimit|unbuffer|parallel|watch|entr|[sl]trace|ssh|chroot|flock|script|trap|find|env|exec|nice|nohup|stdbuf|setsid|time|command|builtin|busybox|toybox|sudo|doas|pkexec|run0|su|sg|runuser|setpriv|unshare|nsenter|bwrap|firejail|systemd-run|caffeinate|proxychains4?|torsocks|faketime|rlwrap|valgrind|direnv|mise|xvfb-run|dbus-run-session|npx|pnpx|bunx|\$.*)$/;

export function isLauncher([program = '']: ShellCommand): boolean {
  return LAUNCHER.test(baseOf(program));
}

export function baseOf(program: string): string {
  return program.replace(/^.*\//, '');
}

/** A line that is made to be looked at from thousands of words is refused like what it hides. */
const [MOST_LOOKS, MOST_SEEN] = [500, 1_000];

function isRun(pattern: string, words: ShellCommand): boolean {
  if (matchesCommand(pattern, words.join(' '))) return true;
  const [begin = ''] = /^[^\s*?]+/.exec(pattern) ?? [];
  const starts = isLauncher(words) && !pattern.startsWith('*') ? words.length : 1;
  let looks = 0;
  for (let at = 0; at < starts; at += 1) {
    const program = baseOf(words[at]!);
    if (!program.startsWith(begin)) continue;
    for (const from of subcommandsOf(words, at)) {
      if ((looks += 1) > MOST_LOOKS) return true;
      if (matchesCommand(pattern, seenFrom(program, words, from))) return true;
    }
  }
  return false;
}

/** Where a subcommand may begin: behind the program, and behind each of its options, which may have a value of its own. */
function* subcommandsOf(words: ShellCommand, at: number): Iterable<number> {
  yield at + 1;
  for (let next = at + 1; next < words.length; next += 1) {
    if (!words[next]!.startsWith('-') && !(next > at + 1 && words[next - 1]!.startsWith('-'))) return;
    yield next + 1;
  }
}

/** As much of it as a pattern could mean. */
function seenFrom(program: string, words: ShellCommand, from: number): string {
  return [program, ...words.slice(from, from + MOST_SEEN / 2)].join(' ').slice(0, MOST_SEEN);
}

/** `git push *` also means the bare command. */
function matchesCommand(pattern: string, command: string): boolean {
  return (
    matchesPattern(pattern, command) ||
    (pattern.endsWith(' *') && matchesPattern(pattern.slice(0, -2), command))
  );
}
