import { isMap, isScalar } from 'yaml';
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { SMALL_YAML, yamlProblem } from '../../kernel/yaml-limits.ts';
import { parseYaml } from '../../kernel/yaml-text.ts';

/**
 * The head of a memory file. Reading is lenient about what is missing and strict about what is wrong; writing touches
 * the one value that changes and leaves every other character, unknown keys and comments included, as a person left it.
 */
type Head = Readonly<{
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

const ID = /^[^\s\p{C}/\\]{1,200}$/u;
const YES = new Set(['true', 'yes', 'on']);
const NO = new Set(['false', 'no', 'off']);

const instant = z
  .union([z.string(), z.number(), z.date()])
  .transform((value) => (value instanceof Date ? value.getTime() : Date.parse(String(value))))
  .refine((ms) => Number.isFinite(ms), 'must be a date');
const tagList = z
  .union([z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])), z.string(), z.number()])
  .transform((given) =>
    (Array.isArray(given) ? given : String(given).split(',')).map((tag) => String(tag ?? '').trim()),
  );
/** What people and YAML 1.1 call true and false. */
const flag = z.preprocess(
  (value) =>
    typeof value === 'string'
      ? YES.has(value.toLowerCase())
        ? true
        : NO.has(value.toLowerCase())
          ? false
          : value
      : value,
  z.boolean().nullish(),
);
const headSchema = z.object({
  id: z
    .union([z.string(), z.number().transform(String)])
    .pipe(z.string().regex(ID, 'must be one word of at most 200 characters'))
    .nullish()
    .transform((id) => id ?? undefined),
  tags: tagList
    .nullish()
    .transform((tags) =>
      (tags ?? []).map((tag) => tag.replace(/^#/, '').toLowerCase()).filter((tag) => tag !== ''),
    ),
  created: instant.nullish().transform((ms) => ms ?? undefined),
  updated: instant.nullish().transform((ms) => ms ?? undefined),
  pinned: flag.transform((pinned) => pinned ?? false),
  // A common word: what is not a list of our own ids is somebody else's key and none of our business.
  sources: z.array(z.string().regex(ID)).catch([]),
});

export function parseMemory(text: string): Parsed {
  const found = split(text);
  if (found === 'open') return { ok: false, problem: 'the frontmatter is never closed with ---' };
  if (found === undefined)
    return { ok: true, head: headSchema.parse({}), body: withoutEnd(text.replace(/^\uFEFF/, ''), '\r\n') };
  const heavy = yamlProblem(found.yaml, SMALL_YAML);
  if (heavy !== undefined) return { ok: false, problem: `the frontmatter is not read: ${heavy}` };
  const value = readHead(found.yaml);
  if (value instanceof Error)
    return { ok: false, problem: `the frontmatter is not valid YAML: ${value.message.split('\n')[0]}` };
  const head = headSchema.safeParse(value);
  if (!head.success) {
    const issue = head.error.issues[0]!;
    return {
      ok: false,
      problem: `the frontmatter has a bad ${issue.path.join('.') || 'shape'}: ${issue.message}`,
    };
  }
  return { ok: true, head: head.data, body: withoutEnd(found.body.replace(/^[ \t]*\r?\n/, ''), found.eol) };
}

/** Aliases are resolved only when the document is turned into a value, so that can fail as well. */
function readHead(yaml: string): unknown {
  try {
    const { document, problem } = parseYaml(yaml);
    return problem === undefined ? (document.toJS({ maxAliasCount: 10 }) ?? {}) : new Error(problem);
  } catch (error) {
    return error;
  }
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
  return `---\n${lines.join('\n')}\n---\n\n${content}\n`;
}

/** The same file with another body and `updated`; everything else in the head stays as it is, byte for byte. */
export function rewriteMemory(text: string, content: string, updated: string): string {
  const found = split(text);
  if (found === undefined || found === 'open') return `---\nupdated: ${updated}\n---\n\n${content}\n`;
  const { open, yaml, close, eol } = found;
  const heavy = yamlProblem(yaml, SMALL_YAML);
  if (heavy !== undefined) throw new HubError('invalid', `The frontmatter is not read: ${heavy}.`);
  return `${open}${setUpdated(yaml, updated, eol)}${close}${eol}${content}${eol}`;
}

/** In place where that is possible; YAML of an unusual shape is written anew, with its keys and comments. */
function setUpdated(yaml: string, updated: string, eol: string): string {
  const { document } = parseYaml(yaml);
  const { contents } = document;
  const pair = isMap(contents)
    ? contents.items.find((item) => isScalar(item.key) && item.key.value === 'updated')
    : undefined;
  const range = isScalar(pair?.value) ? pair.value.range : undefined;
  const edited =
    range && range[1] > range[0]
      ? yaml.slice(0, range[0]) + updated + yaml.slice(range[1])
      : `${yaml.replace(/^updated[ \t]*:[ \t]*\r?\n/m, '')}updated: ${updated}${eol}`;
  const check = parseYaml(edited);
  if (edited.endsWith('\n') && check.problem === undefined && check.document.get('updated') === updated)
    return edited;
  document.set('updated', updated);
  return document.toString().replace(/\n/g, eol);
}

type Split = Readonly<{ open: string; yaml: string; close: string; body: string; eol: '\n' | '\r\n' }>;

function split(text: string): Split | 'open' | undefined {
  const open = FENCE.exec(text)?.[0];
  if (open === undefined) return undefined;
  const rest = text.slice(open.length);
  const closing = CLOSING.exec(rest);
  if (!closing) return 'open';
  const eol = open.endsWith('\r\n') ? '\r\n' : '\n';
  return {
    open,
    yaml: rest.slice(0, closing.index),
    close: closing[0].endsWith('\n') ? closing[0] : `${closing[0]}${eol}`,
    body: rest.slice(closing.index + closing[0].length),
    eol,
  };
}

/** The blank line below the head and the last line break belong to the file; everything between is what was remembered. */
function withoutEnd(body: string, eol: '\n' | '\r\n'): string {
  return body.replace(eol === '\n' ? /\n$/ : /\r?\n$/, '');
}
