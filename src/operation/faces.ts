// From operations to what the hosts serve: tools for the MCP engine, routes for the web app.
import { z } from 'zod';
import {
  type RawInput,
  type Route,
  type RouteContext,
  flagText,
  integerText,
  listText,
} from '../http/route.ts';
import { once } from '../kernel/once.ts';
import { defineTool, type Tool } from '../mcp/define.ts';
import type { Acting, Call, Caller } from '../store/calls.ts';
import type { Query, Tx } from '../store/database.ts';
import type { InputFields, Operation, WorkContext } from './operation.ts';
import { readRoute } from './route-text.ts';

/** A room as its operations reach it: bound to a snapshot or a transaction, and to who calls. */
export type Behind<V, R, S> = Readonly<{
  /** Groups its routes in OpenAPI; the name of the room. */
  tag: string;
  acting: Acting;
  look(q: Query, caller: Caller): V;
  change(tx: Tx, caller: Caller): R;
  service: S;
  /** Whom a nameless caller's change is attributed to. */
  attribute?(args: Readonly<Record<string, unknown>>): Call['attribute'];
  /** Stands around every change of a route, inside its transaction: for what can be taken back. */
  around?(at: Around, run: () => Promise<unknown>): Promise<unknown>;
}>;

/** A room whose operations all open transactions of their own. */
export function behindService<S>(tag: string, acting: Acting, service: S): Behind<undefined, undefined, S> {
  return { tag, acting, service, look: () => undefined, change: () => undefined };
}

export type Around = Readonly<{
  tx: Tx;
  caller: Caller;
  /** The operation. */
  name: string;
  args: Readonly<Record<string, unknown>>;
  /** What it is a part of. */
  command?: string | undefined;
}>;

export function toolsOf<V, R, S>(behind: Behind<V, R, S>, operations: readonly Operation<V, R, S>[]): Tool[] {
  return operations.flatMap((operation) => (operation.tool ? [toolOf(behind, operation)] : []));
}

/** The same tools on a server whose documented list they are no part of. */
export function extended(tools: readonly Tool[]): Tool[] {
  return tools.map((tool) => ({ ...tool, profile: 'extended' }));
}

export function routesOf<V, R, S>(
  behind: Behind<V, R, S>,
  operations: readonly Operation<V, R, S>[],
): Route[] {
  return operations.flatMap((operation) => (operation.route ? [routeOf(behind, operation)] : []));
}

type Given = Readonly<Record<string, unknown>>;

/** One operation, done for one caller. The same for every face. */
async function perform<V, R, S>(
  { acting, look, change, service, attribute, around }: Behind<V, R, S>,
  operation: Operation<V, R, S>,
  { args, ...context }: WorkContext & Readonly<{ args: Given }>,
): Promise<unknown> {
  const { name, isAcquiring } = operation;
  const given = args as never;
  if (operation.way === 'work') return operation.run(service, given, context);
  const { agentId, fence } = args as { agentId?: string; fence?: number };
  const { who, via, command } = context;
  const call: Call = { who, via, name, args, agentId: operation.agentOf?.(given, who) ?? agentId, fence };
  if (operation.way === 'look')
    return acting.look(call, (q, caller) => operation.run(look(q, caller), given));
  const learnt = operation.learn ? await operation.learn(service, given, context) : undefined;
  const known = (learnt ? { ...args, ...learnt } : given) as never;
  const attributed = isAcquiring ? undefined : attribute?.(args);
  return acting.change({ ...call, ...(attributed && { attribute: attributed }) }, (tx, caller) => {
    const run = () => operation.run(change(tx, caller), known);
    return around && via === 'route' ? around({ tx, caller, name, args, command }, run) : run();
  });
}

function toolOf<V, R, S>(behind: Behind<V, R, S>, operation: Operation<V, R, S>): Tool {
  const { name, summary, scope, output, onlyRoute } = operation;
  const isReading = onlyReads(operation);
  const { title, description = summary, isRepeatable = isReading, ...face } = operation.tool!;
  const { isDestructive = false, ...rest } = face;
  return defineTool({
    ...rest,
    name,
    title,
    description,
    scope,
    input: z.object(without(operation.input, onlyRoute)),
    output,
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: isDestructive,
      idempotentHint: isRepeatable,
      openWorldHint: false,
    },
    effect: isReading ? 'read' : 'state',
    async handler(args, { who, signal, progress }) {
      const call = { who, signal, progress, via: 'tool', args } as const;
      return { ok: true, value: await perform(behind, operation, call) };
    },
  });
}

function routeOf<V, R, S>(behind: Behind<V, R, S>, operation: Operation<V, R, S>): Route {
  const { summary, scope, refusals, status, output, onlyTool, refuseBody } = operation;
  const { method, path, inPath, inQuery, whole } = readRoute(operation.route!);
  const fields = without(operation.input, onlyTool);
  const asked = method === 'GET' ? Object.keys(without(fields, inPath)) : inQuery;
  const body = without(fields, [...inPath, ...asked]);
  const form = { whole, isLoose: operation.isLoose ?? false };
  const documented = once(() => z.object(body));
  return {
    method,
    path,
    summary,
    tag: behind.tag,
    scope,
    response: output,
    ...(refusals && { refusals }),
    ...(status && { status }),
    ...(method === 'GET' && !onlyReads(operation) && { changes: true as const }),
    asks: () => ({
      ...(inPath.length > 0 && { params: z.object(only(fields, inPath)) }),
      ...(asked.length > 0 && { query: z.object(mapped(only(fields, asked), asQueryText)) }),
      ...(Object.keys(body).length > 0 && { body: refuseBody ? z.unknown() : bodyOf(body, form) }),
    }),
    handler: (input: RawInput, { who, signal, command }: RouteContext) => {
      const given = refuseBody ? readBody(documented(), input.body, refuseBody) : input.body;
      const inBody = whole === undefined ? (given as Given) : { [whole]: given };
      const args = { ...(input.params as Given), ...(input.query as Given), ...inBody };
      return perform(behind, operation, { who, signal, command, via: 'route', args });
    },
  };
}

function onlyReads<V, R, S>(operation: Operation<V, R, S>): boolean {
  return operation.way === 'look' || (operation.way === 'work' && operation.effect === 'read');
}

/** A body that needs nothing may be left out altogether. */
function bodyOf(
  fields: InputFields,
  form: Readonly<{ whole?: string | undefined; isLoose: boolean }>,
): z.ZodType {
  if (form.whole !== undefined) return fields[form.whole] as z.ZodType;
  const body = form.isLoose ? z.looseObject(fields) : z.strictObject(fields);
  return body.safeParse({}).success ? body.optional() : body;
}

function readBody<S extends z.ZodType>(
  schema: S,
  body: unknown,
  refuse: (error: z.ZodError) => Error,
): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw refuse(parsed.error);
}

function only(fields: InputFields, names: readonly string[]): InputFields {
  return Object.fromEntries(names.map((name) => [name, fields[name]!]));
}

function without(fields: InputFields, names: readonly string[] = []): InputFields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function mapped(fields: InputFields, to: (field: InputFields[string]) => z.ZodType): InputFields {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, to(field)]));
}

/** Names one query may list unless the field says fewer. */
const MOST_NAMES = 1_000;

/** A field as it stands in a query, where everything is text: numbers, flags and lists are read from it, strictly. */
function asQueryText(field: z.core.SomeType): z.ZodType {
  const schema = field as z.ZodType;
  if (schema instanceof z.ZodDefault) {
    const read = readAs(schema.unwrap() as z.ZodType).default(schema.def.defaultValue as never);
    return described(read, schema);
  }
  if (!(schema instanceof z.ZodOptional)) return readAs(schema);
  const inner = readAs(schema.unwrap() as z.ZodType).optional();
  return schema.description === undefined ? inner : inner.describe(schema.description);
}

function readAs(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodNumber) return described(integerText(schema), schema);
  if (schema instanceof z.ZodBoolean) return described(flagText(), schema);
  if (schema instanceof z.ZodArray) return described(listText(MOST_NAMES).pipe(schema as never), schema);
  return schema;
}

function described(text: z.ZodType, { description }: z.ZodType): z.ZodType {
  return description === undefined ? text : text.describe(description);
}
