// The lines of `.holdfast/board.jsonl`: what one says, how several of one task become one, and which value of a field counts.
// Pure: the command line reads files with it, the hub what it is sent. See docs/design/board-sync.md.
import { z } from 'zod';
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { readJson } from '../../../kernel/loose-json.ts';
import { redact } from '../../../kernel/redact.ts';
import * as input from '../inputs.ts';
import { day, status } from '../task.ts';
import { plainStatus } from '../work/plain-status.ts';

/** A value, when it was said (milliseconds), and by whom. */
export type Stamp = readonly [value: unknown, at: number, by: string];
export type LineFields = Readonly<Record<string, Stamp>>;
export type BoardLine = Readonly<{ id: string; fields: LineFields }>;

export const LABEL = 'label:';
export const AFTER = 'after:';
export const isLabel = (field: string) => field.startsWith(LABEL);
export const isAfter = (field: string) => field.startsWith(AFTER);

/** What a line may be long. One of ours has a description of 20,000 characters at most, and those who changed it. */
const LONGEST_LINE = 256 * 1024;

/** In the order in which they stand in a line; labels and links come behind, each a field of its own. */
const KNOWN = {
  title: input.title,
  status: status.transform(plainStatus),
  priority: input.priority,
  due: day.nullable(),
  description: input.description.nullable(),
  parentTaskId: input.taskId.nullable(),
  externalId: input.agentName.nullable(),
  createdAt: z.int().min(0),
  dropped: z.boolean(),
} as const;
type KnownField = keyof typeof KNOWN;
const ORDER = Object.keys(KNOWN);

/** Fields of a version to come travel on untouched, as long as they are few and small. */
const MOST_UNKNOWN = 50;
const LONGEST_UNKNOWN = 4_000;
const MOST_FIELDS = 500;

const lineSchema = z.object({
  id: input.taskId,
  v: z.literal(1),
  fields: z.record(
    z.string().min(1).max(220),
    z.tuple([z.unknown(), z.int().min(0).max(8.64e15), input.agentName]),
  ),
});

/** What is wrong with a line that cannot be read, in one sentence. */
export type Unreadable = Readonly<{ problem: string }>;

/** A whole line or none of it: half of what somebody wrote is not what they meant. */
export function readLine(text: string): BoardLine | Unreadable {
  if (text.length > LONGEST_LINE) return { problem: `longer than ${LONGEST_LINE} characters` };
  const given = readJson(text);
  if (given === undefined) return { problem: 'not JSON' };
  if (isVersioned(given) && given.v > 1) return { problem: `written by a newer Holdfast (v${given.v})` };
  const parsed = lineSchema.safeParse(given);
  if (!parsed.success) return { problem: firstOf(parsed.error) };
  const { id, fields } = parsed.data;
  const read: Record<string, Stamp> = {};
  let unknown = 0;
  for (const [field, [value, at, by]] of Object.entries(fields)) {
    const checked = readValue(field, value);
    if ('problem' in checked) return { problem: `${field}: ${checked.problem}` };
    unknown += checked.isKnown ? 0 : 1;
    read[field] = [checked.value, at, by];
  }
  if (unknown > MOST_UNKNOWN || Object.keys(read).length > MOST_FIELDS) return { problem: 'too many fields' };
  return { id, fields: read };
}

function isVersioned(given: unknown): given is { v: number } {
  return typeof given === 'object' && given !== null && typeof (given as { v?: unknown }).v === 'number';
}

function firstOf({ issues: [issue] }: z.ZodError): string {
  const { path, message } = issue!;
  const problem = message.replace(/^Invalid (?:input|option): /, '');
  return path.length === 0 ? problem : `${path.join('.')}: ${problem}`;
}

function readValue(
  field: string,
  value: unknown,
): Readonly<{ value: unknown; isKnown: boolean }> | Unreadable {
  const schema = schemaOf(field);
  if (schema === undefined) {
    const isSmall = /^[a-zA-Z][\w:./-]*$/.test(field) && canonicalJson(value).length <= LONGEST_UNKNOWN;
    return isSmall ? { value: redacted(value), isKnown: false } : { problem: 'not a field' };
  }
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { value: redacted(parsed.data), isKnown: true }
    : { problem: firstOf(parsed.error) };
}

function schemaOf(field: string): z.ZodType | undefined {
  if (Object.hasOwn(KNOWN, field)) return KNOWN[field as KnownField];
  const named = isLabel(field) ? input.label : isAfter(field) ? input.taskId : undefined;
  if (named === undefined) return undefined;
  return named.safeParse(field.slice(field.indexOf(':') + 1)).success ? z.boolean() : z.never();
}

/** Nothing that looks like a key travels, in either direction. */
function redacted(value: unknown): unknown {
  if (typeof value === 'string') return redact(value.toWellFormed());
  if (Array.isArray(value)) return value.map(redacted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redacted(each)]));
}

/** The same facts are the same bytes, whoever writes them. What was dropped says nothing but that. */
export function writeLine({ id, fields }: BoardLine): string {
  const shown = fields['dropped']?.[0] === true ? { dropped: fields['dropped'] } : fields;
  // That it is not dropped, which nobody has said (`aside.ts`), is no news.
  const isNews = (field: string) => field !== 'dropped' || shown[field]![0] === true || shown[field]![1] > 0;
  const names = Object.keys(shown).filter(isNews).sort(byOrder);
  const ordered = Object.fromEntries(
    names.map((field) => {
      const [value, at, by] = shown[field]!;
      return [field, [redacted(value), at, redact(by)]];
    }),
  );
  return JSON.stringify({ id, v: 1, fields: ordered });
}

function byOrder(a: string, b: string): number {
  const [x, y] = [ORDER.indexOf(a), ORDER.indexOf(b)].map((place) => (place < 0 ? ORDER.length : place));
  return x! - y! || (a < b ? -1 : 1);
}

/** What is said to come from the future counts as said now: a wrong clock must not win for ever. */
export function clamped([value, at, by]: Stamp, now: number): Stamp {
  return [value, Math.min(at, now), by];
}

/**
 * Which of two counts: the newest; of two at the same moment the one whose author, and then whose value, sorts last. Every
 * hub decides alike, in whatever order it learns of them. Proven by line.test.ts.
 */
export function newer(a: Stamp, b: Stamp): Stamp {
  if (a[1] !== b[1]) return a[1] > b[1] ? a : b;
  if (a[2] !== b[2]) return a[2] > b[2] ? a : b;
  return canonicalJson(a[0]) >= canonicalJson(b[0]) ? a : b;
}

export function isSameValue(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** Field by field; neither side loses what only it knows. */
export function foldFields(all: readonly LineFields[], now: number): LineFields {
  const folded: Record<string, Stamp> = {};
  for (const fields of all)
    for (const [field, stamp] of Object.entries(fields)) {
      const given = clamped(stamp, now);
      folded[field] = folded[field] === undefined ? given : newer(folded[field], given);
    }
  return folded;
}

/** Empty where a line does not say it. */
export function titleIn(fields: LineFields): string {
  const title = fields['title']?.[0];
  return typeof title === 'string' ? title : '';
}
