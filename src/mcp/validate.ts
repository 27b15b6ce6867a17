// Arguments are taken as they are or refused with what would be right: never coerced, never clamped.
import type { z } from 'zod';
import { nearestName } from '../kernel/nearest-name.ts';
import { contentProblem } from '../kernel/storable.ts';
import type { Tool } from './define.ts';
import { inputSchemaOf, type JsonSchema, strictInput } from './schema.ts';
import { unknownFields } from './unknown-fields.ts';

export type ParsedArguments = Readonly<
  { ok: true; value: unknown } | { ok: false; problems: readonly string[] }
>;

const strictInputs = new WeakMap<Tool, z.ZodObject>();

/** Arguments are taken as they are or refused with what would be right: never coerced, never clamped. */
export function parseArguments(tool: Tool, args: unknown): ParsedArguments {
  let input = strictInputs.get(tool);
  if (!input) strictInputs.set(tool, (input = strictInput(tool)));
  const unstorable = unstorableIn(args);
  if (unstorable) return { ok: false, problems: [unstorable] };
  const parsed = input.safeParse(args);
  if (parsed.success) {
    const unknown = describeUnknown(input, args);
    return unknown === undefined ? { ok: true, value: parsed.data } : { ok: false, problems: [unknown] };
  }
  const schema = inputSchemaOf(tool);
  return { ok: false, problems: describeProblems(parsed.error, schema, args) };
}

/** Which argument cannot be stored, and why; the rest of them is looked at once it is mended. */
function unstorableIn(args: unknown): string | undefined {
  const problem = contentProblem(args);
  if (!problem) return undefined;
  for (const [name, value] of Object.entries(args as object)) {
    if (contentProblem(name)) break;
    const inValue = contentProblem(value);
    if (inValue) return `${name} must not ${inValue}`;
  }
  return `the arguments must not ${problem}`;
}

/** Whoever mends these sees the next ones; a list of thousands helps nobody and costs more than the call. */
const MAX_PROBLEMS = 20;

/** One sentence per argument: which, what would be right, what was given. REST routes use it too. */
export function describeProblems(error: z.ZodError, schema: JsonSchema, given: unknown): string[] {
  const first = firstOfEachField(error.issues);
  const told = first.slice(0, MAX_PROBLEMS).map((issue) => describe(issue, schema, given));
  return first.length > told.length ? [...told, `and ${first.length - told.length} more`] : told;
}

/** An empty title breaks its length and is blank as well: whoever mends the first mends both. */
function firstOfEachField(issues: readonly Issue[]): readonly Issue[] {
  const seen = new Set<string>();
  return issues.filter((issue) => {
    if (issue.path.length === 0 || issue.code === 'unrecognized_keys') return true;
    const field = JSON.stringify(issue.path.map(String));
    return !seen.has(field) && seen.add(field);
  });
}

type Issue = z.core.$ZodIssue;

function describe(issue: Issue, schema: JsonSchema, args: unknown): string {
  const name = writtenPath(issue.path, args).map(String).join('.');
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, at(schema, issue.path), name);
  const field = at(schema, issue.path);
  const given = writtenPath(issue.path, args).reduce<unknown>(step, args);
  const expected = field && expectation(field);
  if (issue.code === 'custom' || !expected) return name === '' ? issue.message : `${name}: ${issue.message}`;
  const subject = name === '' ? '' : `${name} `;
  // A rule that was given words of its own is told in them: a pattern is for programs.
  if (issue.code === 'invalid_format' && issue.message.startsWith('must '))
    return `${subject}${issue.message}, got ${show(given)}`;
  return given === undefined
    ? `${subject}is required: ${expected}`
    : `${subject}must be ${expected}, got ${show(given)}`;
}

/** A list in a query is one text: what is wrong in it is said of the text as it was written. */
function writtenPath(path: readonly PropertyKey[], args: unknown): readonly PropertyKey[] {
  const end = path.findIndex(
    (_, i) => i > 0 && typeof path.slice(0, i).reduce<unknown>(step, args) === 'string',
  );
  return end < 0 ? path : path.slice(0, end);
}

/** Fields inside an argument that passed its schema, which would drop them in silence. REST routes use it too. */
export function describeUnknown(schema: z.core.$ZodType, given: unknown): string | undefined {
  const found = unknownFields(schema, given);
  if (!found) return undefined;
  const { keys, known, path } = found;
  const meant = new Set(keys.slice(0, MAX_PROBLEMS).flatMap((key) => nearestName(key, known) ?? []));
  const hint = meant.size > 0 ? `; did you mean ${[...meant].join(', ')}?` : '';
  return `${describeKeys(keys, known, path.map(String).join('.'))}${hint}`;
}

function unknownKeys(keys: readonly string[], schema: JsonSchema | undefined, name: string): string {
  return describeKeys(keys, Object.keys((schema?.['properties'] as object | undefined) ?? {}), name);
}

function describeKeys(keys: readonly string[], known: readonly string[], name: string): string {
  const listed = keys.slice(0, MAX_PROBLEMS).map((key) => JSON.stringify(clip(key)));
  const unknown = [
    ...listed,
    ...(keys.length > listed.length ? [`and ${keys.length - listed.length} more`] : []),
  ].join(', ');
  const where = name === '' ? '' : ` in ${name}`;
  return `unknown argument${keys.length > 1 ? 's' : ''} ${unknown}${where}; known: ${known.length > 0 ? known.join(', ') : 'none'}`;
}

/** The schema at a path; undefined where the way leads through something other than plain properties and items. */
function at(schema: JsonSchema, path: readonly PropertyKey[]): JsonSchema | undefined {
  let here: unknown = schema;
  for (const key of path) {
    const next = typeof key === 'number' ? step(here, 'items') : step(step(here, 'properties'), key);
    if (next === undefined) return undefined;
    here = next;
  }
  return here as JsonSchema;
}

function step(value: unknown, key: PropertyKey): unknown {
  return value !== null && typeof value === 'object' && Object.hasOwn(value, key)
    ? (value as Record<PropertyKey, unknown>)[key]
    : undefined;
}

function expectation(schema: JsonSchema): string | undefined {
  const {
    enum: values,
    const: only,
    anyOf: choices,
    type,
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    exclusiveMinimum,
  } = schema;
  if (Array.isArray(values)) return `one of ${values.map(String).join(', ')}`;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(type)) return type.join(' or ');
  if (Array.isArray(choices)) return eitherOf(choices as JsonSchema[]);
  switch (type) {
    case 'integer':
      return `a whole number${range('from', [minimum ?? exclusiveMinimum, maximum])}`;
    case 'number':
      return `a number${range('from', [minimum ?? exclusiveMinimum, maximum])}`;
    case 'string':
      return `a string${range('of', [minLength, maxLength], ' characters')}${typeof schema['pattern'] === 'string' ? ` matching ${schema['pattern']}` : ''}`;
    case 'array':
      return `a list${range('of', [minItems, maxItems], ' items')}`;
    case 'boolean':
      return 'true or false';
    case 'object':
      return 'an object';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

/** Undefined when one of the choices cannot be put into words: half an answer would be a wrong one. */
function eitherOf(choices: readonly JsonSchema[]): string | undefined {
  const each = choices.map(expectation);
  return each.every((text) => text !== undefined) ? each.join(' or ') : undefined;
}

function range(word: string, [low, high]: readonly [unknown, unknown], unit = ''): string {
  if (typeof low === 'number' && typeof high === 'number') return ` ${word} ${low} to ${high}${unit}`;
  if (typeof low === 'number') return ` of at least ${low}${unit}`;
  return typeof high === 'number' ? ` of at most ${high}${unit}` : '';
}

/** Long text is described, not repeated. */
function show(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60 ? `a string of ${value.length} characters` : JSON.stringify(value);
  if (Array.isArray(value)) return `a list of ${value.length} items`;
  return value !== null && typeof value === 'object' ? 'an object' : String(value);
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
