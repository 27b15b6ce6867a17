import { z } from 'zod';
import { isObject } from '../../../kernel/loose-json.ts';
import type { Params } from '../../../mcp/protocol/jsonrpc.ts';
import { weightOf } from './schema-weight.ts';

/** Patterns of strangers are not run here and nothing of theirs is fetched: what they would check is left to their server. */
const UNCHECKED = new Set([
  'pattern',
  'patternProperties',
  'format',
  'contentEncoding',
  'contentMediaType',
  '$schema',
  '$id',
  'x-mcp-header',
]);

/** Looks at a schema times values of the arguments: more than this is left to the server. */
const MOST_LOOKS = 2_000_000;

type Checker = Readonly<{ type: z.ZodType; weight: number }>;

/**
 * Problems of arguments by the real schema. What a schema says that cannot be checked here, or not in a bounded number
 * of looks, its server judges.
 */
export function createCheck(schema: Params): (args: Readonly<Record<string, unknown>>) => readonly string[] {
  let checker: Checker | undefined;
  let isTried = false;
  return (args) => {
    if (!isTried) {
      isTried = true;
      checker = compile(schema);
    }
    if (!checker || checker.weight * sizeOf(args) > MOST_LOOKS) return [];
    const parsed = parse(checker.type, args);
    if (parsed === undefined || parsed.success) return [];
    return parsed.error.issues
      .slice(0, 10)
      .map(({ path, message }) =>
        path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
      );
  };
}

/** Undefined where the schema and these arguments drive the checker beyond its means. */
function parse(type: z.ZodType, args: unknown): z.ZodSafeParseResult<unknown> | undefined {
  try {
    return type.safeParse(args);
  } catch {
    return undefined;
  }
}

function compile(schema: Params): Checker | undefined {
  const weight = weightOf(schema);
  if (weight > MOST_LOOKS) return undefined;
  try {
    return { type: z.fromJSONSchema(checkable(schema, 0) as never), weight };
  } catch {
    return undefined;
  }
}

function sizeOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 1;
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), 1);
}

/** Where keys are names somebody chose and not words of JSON Schema. */
const NAMES = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);

function checkable(value: unknown, depth: number, isNames = false): unknown {
  if (depth > 60) throw new Error('too deep to be checked');
  if (Array.isArray(value)) return value.map((item) => checkable(item, depth + 1));
  if (!isObject(value)) return value;
  const { $ref } = value;
  if (!isNames && typeof $ref === 'string' && !$ref.startsWith('#')) return {};
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isNames || !UNCHECKED.has(key))
      .map(([key, item]) => [key, checkable(item, depth + 1, !isNames && NAMES.has(key))]),
  );
}

/** Loose in its shape and strict in what it lets pass: for tools whose schema comes from elsewhere. */
export function inputFor(schema: Params): z.ZodObject {
  const check = createCheck(schema);
  return z.looseObject({}).superRefine((args, context) => {
    for (const message of check(args)) context.addIssue({ code: 'custom', message });
  });
}
