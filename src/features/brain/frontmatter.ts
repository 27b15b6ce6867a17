import { isMap, isScalar, parseDocument } from 'yaml';
import { z } from 'zod';

/**
 * The head of a memory file. Reading is lenient about what is missing and strict about what is wrong; writing touches
 * the one value that changes and leaves every other character, unknown keys and comments included, as a person left it.
 */
export type Head = Readonly<{
  id?: string | undefined;
  tags: readonly string[];
  created?: number | undefined;
  updated?: number | undefined;
  pinned: boolean;
  /** Ids of the episodes that were merged into this one. */
  sources: readonly string[];
}>;

export type Parsed = Readonly<{ ok: true; head: Head; body: string } | { ok: false; problem: string }>;

export type NewHead = Readonly<{
  id: string;
  type: string;
  category: string;
  tags: readonly string[];
  created: string;
  updated: string;
  pinned: boolean;
  sources?: readonly string[];
}>;

const FENCE = /^\uFEFF?---[ \t]*\r?\n/;
const CLOSING = /^---[ \t]*(?:\r?\n|$)/m;

const instant = z
  .union([z.string(), z.date()])
  .transform((value) => (value instanceof Date ? value.getTime() : Date.parse(value)))
  .refine((ms) => Number.isFinite(ms), 'must be a date');
const tagList = z.union([
  z.array(z.union([z.string(), z.number()]).transform(String)),
  z.string().transform((text) => text.split(',').map((tag) => tag.trim())),
]);
const headSchema = z.object({
  id: z
    .string()
    .regex(/^[^\s\p{C}/\\]{1,200}$/u, 'must be one word of at most 200 characters')
    .optional(),
  tags: tagList.nullish().transform((tags) => (tags ?? []).map((tag) => tag.replace(/^#/, '').toLowerCase()).filter((tag) => tag !== '')),
  created: instant.nullish().transform((ms) => ms ?? undefined),
  updated: instant.nullish().transform((ms) => ms ?? undefined),
  pinned: z
    .boolean()
    .nullish()
    .transform((pinned) => pinned ?? false),
  sources: z
    .array(z.string())
    .nullish()
    .transform((ids) => ids ?? []),
});

export function parseMemory(text: string): Parsed {
  const found = split(text);
  if (found === 'open') return { ok: false, problem: 'the frontmatter is never closed with ---' };
  if (found === undefined) return { ok: true, head: headSchema.parse({}), body: trimBody(text) };
  const document = parseDocument(found.yaml, { prettyErrors: true });
  const [error] = document.errors;
  if (error) return { ok: false, problem: `the frontmatter is not valid YAML: ${error.message.split('\n')[0]}` };
  const value: unknown = document.toJS({ maxAliasCount: 10 }) ?? {};
  const head = headSchema.safeParse(value);
  if (!head.success) {
    const issue = head.error.issues[0]!;
    return { ok: false, problem: `the frontmatter has a bad ${issue.path.join('.') || 'shape'}: ${issue.message}` };
  }
  return { ok: true, head: head.data, body: trimBody(found.body) };
}

export function composeMemory(head: NewHead, content: string): string {
  const lines = [
    `id: ${head.id}`,
    `type: ${head.type}`,
    `category: ${head.category}`,
    `tags: ${JSON.stringify(head.tags)}`,
    `created: ${head.created}`,
    `updated: ${head.updated}`,
    `pinned: ${head.pinned}`,
    ...(head.sources ? [`sources: ${JSON.stringify(head.sources)}`] : []),
  ];
  return `---\n${lines.join('\n')}\n---\n\n${endLine(content)}`;
}

/** The same file with another body and `updated`; everything else in the head stays as it is, byte for byte. */
export function rewriteMemory(text: string, content: string, updated: string): string {
  const found = split(text);
  if (found === undefined || found === 'open') return `---\nupdated: ${updated}\n---\n\n${endLine(content)}`;
  return `${found.open}${setUpdated(found.yaml, updated)}${found.close}\n${endLine(content)}`;
}

function setUpdated(yaml: string, updated: string): string {
  const { contents } = parseDocument(yaml);
  const pair = isMap(contents) ? contents.items.find((item) => isScalar(item.key) && item.key.value === 'updated') : undefined;
  const range = isScalar(pair?.value) ? pair.value.range : undefined;
  if (range && range[1] > range[0]) return yaml.slice(0, range[0]) + updated + yaml.slice(range[1]);
  const eol = yaml.includes('\r\n') ? '\r\n' : '\n';
  const without = yaml.replace(/^updated[ \t]*:[ \t]*\r?\n/m, '');
  return `${without}${without === '' || without.endsWith('\n') ? '' : eol}updated: ${updated}${eol}`;
}

type Split = Readonly<{ open: string; yaml: string; close: string; body: string }>;

function split(text: string): Split | 'open' | undefined {
  const open = FENCE.exec(text)?.[0];
  if (open === undefined) return undefined;
  const rest = text.slice(open.length);
  const closing = CLOSING.exec(rest);
  if (!closing) return 'open';
  const yaml = rest.slice(0, closing.index);
  return {
    open,
    yaml,
    close: closing[0].endsWith('\n') ? closing[0] : `${closing[0]}\n`,
    body: rest.slice(closing.index + closing[0].length),
  };
}

/** The blank line after the head and the last line break belong to the file, not to what was remembered. */
function trimBody(body: string): string {
  return body
    .replace(/^\uFEFF/, '')
    .replace(/^(?:[ \t]*\r?\n)+/, '')
    .replace(/\r?\n$/, '');
}

function endLine(content: string): string {
  return content.endsWith('\n') ? content : `${content}\n`;
}
