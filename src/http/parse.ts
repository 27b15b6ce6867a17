import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { once } from '../kernel/once.ts';
import { HubError } from '../kernel/errors.ts';
import { DEFAULT_TEAM_PARAM } from '../kernel/principal.ts';
import { contentProblem } from '../kernel/storable.ts';
import { describeProblems, describeUnknown } from '../mcp/validate.ts';
import { refuseHeavyJson } from './json-limits.ts';
import type { RawInput, RequestParts, Route } from './route.ts';

/** Reads a request once, at the edge. Unknown names are refused with the known ones; nothing is coerced or clamped. */
export function inputParser(route: Route): (raw: RawInput) => RawInput {
  const parts = once(() => partParsers(route.asks()));
  return (raw) => {
    const { params, query, body } = parts();
    return { params: params(raw.params), query: query(ofTheRoute(raw.query)), body: body(raw.body) };
  };
}

function partParsers({ params = NOTHING, query = NOTHING, body }: RequestParts) {
  return {
    params: partParser('path', params),
    query: partParser('query', query),
    body: body ? partParser('body', body) : noBody,
  };
}

const NOTHING = z.strictObject({});

/** Who asks has been read by the guard, and is none of the route's arguments. */
function ofTheRoute(query: unknown): unknown {
  if (query === null || typeof query !== 'object' || !Object.hasOwn(query, DEFAULT_TEAM_PARAM)) return query;
  const { [DEFAULT_TEAM_PARAM]: _, ...rest } = query as Readonly<Record<string, unknown>>;
  return rest;
}

function partParser(part: string, declared: z.ZodType): (value: unknown) => unknown {
  const schema =
    declared instanceof z.ZodObject && declared.def.catchall === undefined ? declared.strict() : declared;
  // A route that is never called wrongly pays for no description.
  const described = once(() =>
    z.toJSONSchema(schema, { io: part === 'body' ? 'input' : 'output', unrepresentable: 'any' }),
  );
  return (value) => {
    const problem = contentProblem(value);
    if (problem) throw new HubError('invalid', `The ${part} must not ${problem}.`);
    const parsed = schema.safeParse(value);
    const unknown = parsed.success ? describeUnknown(schema, value) : undefined;
    if (parsed.success && unknown === undefined) return parsed.data;
    const problems = parsed.success ? [unknown!] : describeProblems(parsed.error, described(), value);
    throw new HubError('invalid', `Invalid ${part}: ${problems.join('; ')}.`, { problems });
  };
}

function noBody(value: unknown): undefined {
  if (value !== undefined && value !== null && !isEmptyObject(value))
    throw new HubError('invalid', 'This endpoint takes no request body.');
  return undefined;
}

/** Bytes to a JSON value. `undefined` for an empty body, which a route without a body schema accepts. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes))
    throw new HubError('invalid', 'The request body is not valid UTF-8.', { rpcCode: -32_700 });
  refuseHeavyJson(bytes);
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw new HubError('invalid', 'The request body is not valid JSON.', { rpcCode: -32_700 }).because(error);
  }
}

function isEmptyObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
