// A line of a shell as its commands and words: quotes are taken off, and what they held together stays one word.

/** Program first, what only stands before it (assignments, keywords) left out. */
export type ShellCommand = readonly string[];

const KEYWORD = /^(?:then|do|else|elif|if|while|until|!|coproc|time|\w{1,100}\+?=.*)$/s;

const PLAIN = /[^\s\\'"`<>&;|()]+/y;

/**
 * Linear: each character is looked at once. Where a shell would refuse the line (a quote that never ends), the rest counts
 * as quoted. A comment is read like a command: what is only refused by mistake can be said otherwise.
 */
export function commandsIn(line: string): readonly ShellCommand[] {
  return readLine(line).commands;
}

/** The files that a line reads from or writes to by `<` and `>`; what stands in the line itself (`<<`) is none. */
export function targetsIn(line: string): readonly string[] {
  return readLine(line).targets;
}

type ReadLine = Readonly<{ commands: readonly ShellCommand[]; targets: readonly string[] }>;

function readLine(line: string): ReadLine {
  const commands: string[][] = [];
  const targets: string[] = [];
  let words: string[] = [];
  let word: string | undefined;
  let isTarget = false;
  let sign = '';
  const endWord = () => {
    if (word !== undefined && !isTarget) words.push(word);
    if (word !== undefined && isTarget && !sign.startsWith('<<') && !/^(?:\d+|-)$/.test(word))
      targets.push(word);
    if (word !== undefined) isTarget = false;
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    isTarget = false;
    if (words.length > 0) commands.push(words);
    words = [];
  };
  for (let at = 0; at < line.length; at += 1) {
    PLAIN.lastIndex = at;
    const [plain = ''] = PLAIN.exec(line) ?? [];
    if (plain !== '') {
      word = (word ?? '') + plain;
      at += plain.length - 1;
      continue;
    }
    const char = line[at]!;
    if (char === '\\') {
      at += 1;
      word = (word ?? '') + (line[at] ?? '');
    } else if (char === "'" || char === '"') {
      const end = endOfQuote(line, at);
      const held = line.slice(at + 1, end);
      word = (word ?? '') + (char === '"' ? held.replace(/\\(["\\$`])/g, '$1') : held);
      at = end;
    } else if (/[\s`]/.test(char) && char !== '\n' && char !== '\r') endWord();
    else if (char === '<' || char === '>' || (char === '&' && line[at + 1] === '>')) {
      if (/^\d+$/.test(word ?? '')) word = undefined;
      endWord();
      const from = at;
      while (/[<>&|-]/.test(line[at + 1] ?? '')) at += 1;
      sign = line.slice(from, at + 1);
      isTarget = true;
    } else endCommand();
  }
  endCommand();
  const read = commands
    .flatMap(bracesApart)
    .map(withoutPrefix)
    .filter(({ length }) => length > 0);
  return { commands: read, targets };
}

function endOfQuote(line: string, from: number): number {
  if (line[from] === "'") {
    const end = line.indexOf("'", from + 1);
    return end < 0 ? line.length : end;
  }
  let at = from + 1;
  while (at < line.length && line[at] !== '"') at += line[at] === '\\' ? 2 : 1;
  return Math.min(at, line.length);
}

/** `{` and `}` group commands where they stand alone. */
function bracesApart(words: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === '{' || word === '}') groups.push([]);
    else groups.at(-1)!.push(word);
  }
  return groups;
}

function withoutPrefix(words: readonly string[]): readonly string[] {
  const first = words.findIndex((word) => !KEYWORD.test(word));
  return first < 0 ? [] : words.slice(first);
}

/** What a shell runs in the middle of something else: `$(…)`, `` `…` ``, `<(…)`. One that never ends goes on to the end. */
const SUBSTITUTION = /\$\(|`|[<>]\(/g;

export function* substitutionsIn(line: string): Iterable<string> {
  for (const { 0: sign, index } of line.matchAll(SUBSTITUTION)) {
    const from = index + sign.length;
    yield line.slice(from, sign === '`' ? endOfTicks(line, from) : endOfParentheses(line, from));
  }
}

function endOfTicks(line: string, from: number): number {
  const end = line.indexOf('`', from);
  return end < 0 ? line.length : end;
}

function endOfParentheses(line: string, from: number): number {
  let open = 1;
  for (let at = from; at < line.length; at += 1) {
    const char = line[at]!;
    if (char === '\\') at += 1;
    else if (char === "'" || char === '"') at = endOfQuote(line, at);
    else if (char === '(') open += 1;
    else if (char === ')' && (open -= 1) === 0) return at;
  }
  return line.length;
}
