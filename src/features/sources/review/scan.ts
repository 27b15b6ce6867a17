import { z } from 'zod';
import { inspectWords } from '../../../kernel/inspect/words.ts';
import { BLANKS, isBlank, JOINED, replaceUnseenInText, WIDTHLESS } from '../../../kernel/unseen.ts';
import { leavesOf } from './leaves.ts';

/** What is suspicious about the words of a tool. A finding is a reason for a person to look, never a verdict. */
export const suspicion = z.object({
  kind: z.enum(['hidden', 'instruction', 'length']),
  where: z.string(),
  what: z.string(),
  marks: z
    .array(z.object({ path: z.string(), start: z.int(), end: z.int(), words: z.string() }))
    .describe('The words themselves: from start to before end in the text at this path.'),
});
export type Suspicion = z.output<typeof suspicion>;
type WordMark = Suspicion['marks'][number];

const TURNING = '\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c';
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const TAGS = '\\u{e0000}-\\u{e007f}';
const SELECTORS = '\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';

const HIDDEN: readonly Readonly<{ pattern: RegExp; what: string }>[] = [
  {
    pattern: new RegExp(`(?!${JOINED}|[${TURNING}${TAGS}${SELECTORS}])[${WIDTHLESS}]`, 'u'),
    what: 'characters without width',
  },
  { pattern: /(?:\u200c|\u200d|\ufe0f){3,}/u, what: 'a run of joiners' },
  { pattern: new RegExp(`[${TURNING}]`, 'u'), what: 'characters that turn the direction of text' },
  { pattern: new RegExp(`[${TAGS}]`, 'u'), what: 'invisible tag characters' },
  { pattern: new RegExp(`[${SELECTORS}]{2,}`, 'u'), what: 'a run of variation selectors' },
  { pattern: /\p{Co}/u, what: 'characters for private use' },
  { pattern: new RegExp(`[${CONTROLS}]`, 'u'), what: 'control characters' },
  { pattern: new RegExp(`[${BLANKS}]{2,}|[\\u2800\\u{1d159}]`, 'u'), what: 'signs that look like blanks' },
  {
    pattern: /(?:<!--|\[\/\/\]: # ?[("'])(?:[^\n]{0,20}\s\S{1,40}){3}/u,
    what: 'a comment that is not shown',
  },
  { pattern: /\S(?:[ \t]{60,}|(?:\s{0,8}\n){15,}\s{0,200})\S/u, what: 'words far away from the rest' },
];

/** Descriptions of honest servers come to thousands of characters; nobody reads more than this in a review. */
const LONG = 10_000;
const SHORT = 12;
/** Longer texts are looked at from their beginning only, so that looking stays cheap. */
const LOOKED_AT = 20_000;
const MOST_MARKS = 20;
const MOST_WORDS = 500;

export type Words = Readonly<{
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  inputSchema: unknown;
}>;

/** Every text at any depth: a model reads the names, choices and defaults of arguments as it reads a description. */
export function scanTool(tool: Words): readonly Suspicion[] {
  const found = scanTexts(tool);
  for (const name of namesOf(tool.inputSchema))
    for (const { what } of inspectWords(name))
      found.set(`name ${what}`, { kind: 'instruction', where: 'arguments', what, marks: [] });
  const { length } = tool.description ?? '';
  const what = `${length} characters long`;
  const long = { kind: 'length' as const, where: 'description', what, marks: [] };
  return [...found.values(), ...(length > LONG ? [long] : [])];
}

/** What a server says besides its tools: instructions, prompts, resources. */
export function scanWords(words: object): readonly Suspicion[] {
  return [...scanTexts(words).values()];
}

function scanTexts(words: object): Map<string, Suspicion> {
  const found = new Map<string, Suspicion>();
  for (const { path, text } of leavesOf(words)) {
    for (const one of scanText(path, text.slice(0, LOOKED_AT))) {
      const key = `${one.kind} ${one.where} ${one.what}`;
      const marks = [...(found.get(key)?.marks ?? []), ...one.marks].slice(0, MOST_MARKS);
      found.set(key, { ...one, marks });
    }
  }
  return found;
}

/** Names of arguments are read as well: `content_of_the_ssh_key` needs no description. */
function namesOf(schema: unknown): string[] {
  if (schema === null || typeof schema !== 'object') return [];
  const names = Array.isArray(schema) ? [] : Object.keys(schema).filter((name) => name.length >= SHORT);
  return [...names, ...Object.values(schema).flatMap(namesOf)];
}

function scanText(path: string, text: string): Suspicion[] {
  const where = partNamed(path);
  const hidden = HIDDEN.flatMap(({ what, pattern }) => {
    const marks = marksOf(pattern, path, text);
    return marks.length === 0 ? [] : [{ kind: 'hidden' as const, where, what, marks }];
  });
  const told = inspectWords(text).map(({ what, start, end }) => ({
    kind: 'instruction' as const,
    where,
    what,
    marks: [{ path, start, end, words: text.slice(start, Math.min(end, start + MOST_WORDS)) }],
  }));
  return [...hidden, ...told];
}

function marksOf(pattern: RegExp, path: string, text: string): WordMark[] {
  if (!pattern.test(text)) return [];
  const marks: WordMark[] = [];
  for (const { index, 0: words } of text.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
    marks.push({ path, start: index, end: index + words.length, words: words.slice(0, MOST_WORDS) });
    if (marks.length === MOST_MARKS) break;
  }
  return marks;
}

const PLACES: Readonly<Record<string, string>> = { inputSchema: 'arguments', outputSchema: 'answers' };

function partNamed(path: string): string {
  const top = /^\w*/.exec(path)![0];
  return PLACES[top] ?? top;
}

/** The text as a person would see it. */
export function withoutHidden(text: string): string {
  return replaceUnseenInText(text, (char) => (isBlank(char) ? ' ' : ''));
}

const SHOWN = new Set(['description', 'title', '$comment']);

/** What is shown of a definition, as a person would see it. What programs compare, choices and defaults, stays. */
export function withSeenWords<T>(value: T): T {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withSeenWords) as T;
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => [
    key,
    typeof item === 'string' && SHOWN.has(key) ? withoutHidden(item) : withSeenWords(item),
  ]);
  return Object.fromEntries(entries) as T;
}
