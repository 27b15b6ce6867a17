// The typed client, made from operations: types and a few lines of runtime, without schemas, so that the page can carry it.
import type { z } from 'zod';
import type { Method } from '../http/route.ts';
import type { Answers, CallRoute } from './call-route.ts';
import type { InputFields } from './operation.ts';
import { readRoute } from './route-text.ts';

type Routed = Readonly<{
  route?: string;
  input: InputFields;
  output: z.ZodType;
  onlyTool?: readonly string[];
}>;
/** Without what only the tool takes. */
type Given<O extends Routed> = Omit<z.input<z.ZodObject<O['input']>>, NonNullable<O['onlyTool']>[number]>;

/** What each route of these operations takes and answers, by its text. */
export type ApiOf<O> = {
  [One in O as One extends Routed ? Extract<One['route'], string> : never]: One extends Routed
    ? Readonly<{ given: Given<One>; answer: z.output<One['output']> }>
    : never;
};

export type RouteRequest = Readonly<{
  method: Method;
  path: string;
  body?: Readonly<Record<string, unknown>>;
}>;

/** The typed client over whatever sends requests. */
export function callRoutes<Api extends Answers>(
  send: (request: RouteRequest) => Promise<unknown>,
): CallRoute<Api> {
  return ((route: string, given?: Readonly<Record<string, unknown>>) =>
    send(requestOf(route, given))) as CallRoute<Api>;
}

/** Where the fields of a call go: into the path, the query or the body. What is not given is left out. */
export function requestOf(route: string, given: Readonly<Record<string, unknown>> = {}): RouteRequest {
  const { method, path, inPath, inQuery, whole } = readRoute(route);
  const query = new URLSearchParams();
  let body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || inPath.includes(name)) continue;
    if (method === 'GET' || inQuery.includes(name)) query.set(name, textOf(value));
    else if (name === whole) body = value as Record<string, unknown>;
    else body[name] = value;
  }
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(textOf(given[name])));
  const asked = query.size > 0 ? `?${query.toString()}` : '';
  const isSent = whole !== undefined || Object.keys(body).length > 0;
  return { method, path: filled + asked, ...(isSent && { body }) };
}

/** Numbers, flags and names are what can stand in an address; a list of names is written with commas. */
function textOf(value: unknown): string {
  return `${value as string | number | boolean}`;
}
