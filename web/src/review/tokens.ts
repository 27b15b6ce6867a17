// What the words of a line are, well enough to read by: comments, strings, numbers, words of the language. No library
// that knows a language whole is a tenth as small, and a patch is never a whole program anyway.
type Kind = 'comment' | 'string' | 'number' | 'key' | 'name';
/** So many characters of this kind; `undefined`: of none. */
export type Token = readonly [length: number, kind: Kind | undefined];

type Language = Readonly<{
  words: ReadonlySet<string>;
  line: readonly string[];
  block?: readonly [open: string, close: string];
  quotes: readonly string[];
}>;

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const C_WORDS = `abstract as async await bool break case catch char class const constexpr continue default defer delete
  do double else enum export extends extern false final finally float fn for foreach from func function get go goto if
  impl implements import in instanceof int interface internal is let long loop match mod module mut namespace new nil
  null nullptr of operator override package private protected public pub readonly ref return satisfies sealed self set
  short signed sizeof static string struct super switch template this throw throws trait true try type typedef typename
  typeof undefined union unsafe unsigned use using val var virtual void volatile when where while with yield
  map chan select range any unknown never number boolean keyof`;
const SCRIPT_WORDS = `and as assert async await begin break case class continue def del do done elif else elsif end
  ensure esac except exec export false fi finally for from function global if import in is lambda let local module nil
  None nonlocal not null or pass raise rescue return self set then true True False try unless until when while with
  yield echo source alias unset readonly`;
const SQL_WORDS = `add all alter and as asc between by cascade case check column constraint create cross default delete
  desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like
  limit not null offset on or order outer primary references returning right select set table then union unique update
  using values view when where with`;

const C: Language = { words: set(C_WORDS), line: ['//'], block: ['/*', '*/'], quotes: ['"', "'", '`'] };
const SCRIPT: Language = { words: set(SCRIPT_WORDS), line: ['#'], quotes: ['"', "'"] };
const DATA: Language = { words: set('true false null yes no on off'), line: ['#'], quotes: ['"', "'"] };
const SQL: Language = {
  words: set(`${SQL_WORDS} ${SQL_WORDS.toUpperCase()}`),
  line: ['--'],
  block: ['/*', '*/'],
  quotes: ["'", '"'],
};
const CSS: Language = { words: set('important'), line: [], block: ['/*', '*/'], quotes: ['"', "'"] };
const MARKUP: Language = { words: set(''), line: [], block: ['<!--', '-->'], quotes: ['"', "'"] };

const BY_ENDING: Readonly<Record<string, Language>> = Object.fromEntries(
  (
    [
      [C, 'js jsx ts tsx mjs cjs mts cts go rs java kt kts swift c h cc cpp hpp cs php scala dart proto zig'],
      [SCRIPT, 'py rb sh bash zsh fish pl r lua ex exs nix mk'],
      [DATA, 'yaml yml toml ini conf env json jsonc json5 properties'],
      [SQL, 'sql'],
      [CSS, 'css scss less'],
      [MARKUP, 'html htm xml svg vue svelte'],
    ] as const
  ).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language])),
);

export function languageOf(path: string): Language | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'dockerfile' || name === 'makefile' || name === 'containerfile') return SCRIPT;
  return BY_ENDING[name.slice(name.lastIndexOf('.') + 1)];
}

const LONGEST = 2_000;
const WORD = /[\p{L}_$@][\p{L}\p{N}_$-]*/uy;
const PLAIN_WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d+)?(?:e[+-]?\d+)?)\w*/iy;

/** One side of a file, line after line: a comment of several lines goes on into the next. */
export function tokenize(lines: readonly string[], language: Language): readonly (readonly Token[])[] {
  let isInBlock = false;
  return lines.map((line) => {
    const [tokens, isOpen] = tokenizeLine(line.slice(0, LONGEST), language, isInBlock);
    isInBlock = isOpen;
    return tokens;
  });
}

function tokenizeLine(text: string, language: Language, isInBlock: boolean): [Token[], boolean] {
  const { block, line, quotes } = language;
  const tokens: Token[] = [];
  const push = (length: number, kind?: Kind) => {
    const last = tokens.at(-1);
    if (last && last[1] === kind) tokens[tokens.length - 1] = [last[0] + length, kind];
    else if (length > 0) tokens.push([length, kind]);
  };
  let at = 0;
  let isOpen = isInBlock;
  while (at < text.length) {
    if (isOpen && block) {
      const end = text.indexOf(block[1], at);
      const to = end < 0 ? text.length : end + block[1].length;
      push(to - at, 'comment');
      isOpen = end < 0;
      at = to;
    } else if (line.some((mark) => text.startsWith(mark, at) && isComment(text, at, mark))) {
      push(text.length - at, 'comment');
      at = text.length;
    } else if (block && text.startsWith(block[0], at)) {
      push(block[0].length, 'comment');
      at += block[0].length;
      isOpen = true;
    } else if (quotes.includes(text[at]!)) {
      const to = endOfString(text, at);
      push(to - at, 'string');
      at = to;
    } else {
      const [length, kind] = wordAt(text, at, language);
      push(length, kind);
      at += length;
    }
  }
  return [tokens, isOpen];
}

/** A hash inside of a word, or of an address, begins no comment. */
function isComment(text: string, at: number, mark: string): boolean {
  return mark !== '#' || at === 0 || /\s/.test(text[at - 1]!);
}

function endOfString(text: string, from: number): number {
  const quote = text[from]!;
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at + 1;
  }
  // An apostrophe in prose, and what goes on in the next line: only the sign itself.
  return quote === '`' ? text.length : from + 1;
}

function wordAt(text: string, at: number, language: Language): Token {
  const pattern = language === CSS ? WORD : PLAIN_WORD;
  pattern.lastIndex = at;
  const word = pattern.exec(text)?.[0];
  if (word !== undefined) {
    if (language.words.has(word)) return [word.length, 'key'];
    const next = text.slice(at + word.length).trimStart()[0];
    const isName =
      language === MARKUP
        ? text[at - 1] === '<' || text[at - 1] === '/'
        : language === DATA || language === CSS
          ? next === ':' || next === '='
          : next === '(';
    return [word.length, isName ? 'name' : undefined];
  }
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text)?.[0];
  return number === undefined ? [1, undefined] : [number.length, 'number'];
}
