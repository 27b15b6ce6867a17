import { BLANKS, isBlank, replaceUnseenInText, WIDTHLESS } from '../../../kernel/unseen.ts';
import { leavesOf } from './leaves.ts';

/** What is suspicious about the words of a tool. A finding is a reason for a person to look, never a verdict. */
export type Suspicion = Readonly<{
  kind: 'hidden' | 'instruction' | 'length';
  where: string;
  what: string;
  /** The words themselves, in the text at `path`. */
  marks: readonly WordMark[];
}>;

type WordMark = Readonly<{ path: string; start: number; end: number; words: string }>;

const TURNING = '\\u202a-\\u202e\\u2066-\\u2069\\u200e\\u200f\\u061c';
const CONTROLS = '\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f';
const TAGS = '\\u{e0000}-\\u{e007f}';
const SELECTORS = '\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}';

const HIDDEN: readonly Readonly<{ pattern: RegExp; what: string }>[] = [
  {
    pattern: new RegExp(`(?![${TURNING}${TAGS}${SELECTORS}])[${WIDTHLESS}]`, 'u'),
    what: 'characters without width',
  },
  { pattern: new RegExp(`[${TURNING}]`, 'u'), what: 'characters that turn the direction of text' },
  { pattern: new RegExp(`[${TAGS}]`, 'u'), what: 'invisible tag characters' },
  { pattern: new RegExp(`[${SELECTORS}]{2,}`, 'u'), what: 'a run of variation selectors' },
  { pattern: new RegExp(`[${CONTROLS}]`, 'u'), what: 'control characters' },
  { pattern: new RegExp(`[${BLANKS}]{2,}|[\\u2800\\u{1d159}]`, 'u'), what: 'signs that look like blanks' },
  { pattern: /<!--|\[\/\/\]: #/u, what: 'a comment that is not shown' },
];

const told = (what: string, ...parts: readonly string[]) => ({
  what,
  pattern: new RegExp(parts.join(''), 'is'),
});

const INSTRUCTIONS: readonly Readonly<{ pattern: RegExp; what: string }>[] = [
  told(
    'tells the model to ignore what it was told',
    String.raw`\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|other|all|system)\b`,
    String.raw`.{0,30}\b(?:instruction|rule|prompt|message|tool)`,
  ),
  told(
    'tells the model to hide something from its user',
    String.raw`\b(?:do not|don't|never|without)\b.{0,30}\b(?:tell|mention|inform|reveal|show|notify)(?:ing)?\b`,
    String.raw`.{0,40}\b(?:user|human|person|anyone|this)\b`,
  ),
  told(
    'a tag that pretends authority',
    '</?(?:important|system|instructions?|secret|admin|assistant)\\b[^>]{0,40}>',
  ),
  told(
    'speaks of keys or credential files',
    String.raw`\.ssh/|id_rsa|id_ed25519|\.env\b|credentials\b.{0,20}\bfile|mcp\.json|/etc/(?:passwd|shadow)`,
    String.raw`|api[_ -]?keys?\b.{0,30}\b(?:read|send|pass|include)`,
  ),
  told(
    'wants to be called before or instead of other tools',
    String.raw`\b(?:before|prior to|instead of)\b.{0,40}\b(?:using|calling|any)\b.{0,40}`,
    String.raw`\b(?:other|another|any)\b.{0,20}\btools?\b`,
  ),
  told(
    'orders the model about, beyond this tool',
    String.raw`\b(?:you (?:must|are required to)|always)\b.{0,60}`,
    String.raw`\b(?:first|before anything|every (?:time|message|conversation))\b`,
  ),
  told(
    'asks for the conversation',
    String.raw`\b(?:send|post|upload|forward|exfiltrate|include)\b.{0,60}`,
    String.raw`\b(?:conversation|chat history|system prompt|entire context|all (?:previous )?messages)\b`,
  ),
  told('a long block of encoded text', '[A-Za-z0-9+/]{120,}={0,2}'),
];

const LONG = 4_000;
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
  const found = new Map<string, Suspicion>();
  for (const { path, text } of leavesOf(tool)) {
    for (const one of scanText(path, text.slice(0, LOOKED_AT))) {
      const key = `${one.kind} ${one.where} ${one.what}`;
      const marks = [...(found.get(key)?.marks ?? []), ...one.marks].slice(0, MOST_MARKS);
      found.set(key, { ...one, marks });
    }
  }
  const { length } = tool.description ?? '';
  const what = `${length} characters long`;
  const long = { kind: 'length' as const, where: 'description', what, marks: [] };
  return [...found.values(), ...(length > LONG ? [long] : [])];
}

function scanText(path: string, text: string): Suspicion[] {
  const looks = [
    ...HIDDEN.map((look) => ({ ...look, kind: 'hidden' as const })),
    ...INSTRUCTIONS.map((look) => ({ ...look, kind: 'instruction' as const })),
  ];
  return looks.flatMap(({ kind, what, pattern }) => {
    const marks = marksOf(pattern, path, text);
    return marks.length === 0 ? [] : [{ kind, where: partNamed(path), what, marks }];
  });
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
