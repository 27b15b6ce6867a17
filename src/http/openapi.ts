// OpenAPI, written from the schemas that check requests and answers, so it cannot say anything else.
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../kernel/errors.ts';
import { VERSION } from '../kernel/version.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

const ALWAYS: readonly ErrorCode[] = ['invalid', 'forbidden', 'internal'];

/** OpenAPI 3.1 from the same schemas that check the requests, so that it cannot drift from what the hub does. */
export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Holdfast', version: VERSION, summary: 'One local hub for every coding agent.' },
    paths,
    components: {
      schemas: { Error: schemaOf(ErrorBody, 'output') },
      securitySchemes: { hubToken: { type: 'http', scheme: 'bearer' } },
    },
  };
}

const ErrorBody = z.object({
  error: z.string(),
  code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  hint: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

function operation(route: Route): Json {
  return {
    summary: route.summary,
    operationId: operationId(route),
    tags: [route.tag],
    'x-scope': route.scope,
    parameters: [...parameters('path', route.params), ...parameters('query', route.query)],
    ...(route.body && {
      requestBody: {
        required: !route.body.safeParse(undefined).success,
        content: jsonContent(route.body, 'input'),
      },
    }),
    responses: { ...success(route), ...refusals(route) },
  };
}

/** `GET /api/board/tasks/:id` → `getBoardTasksById`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[/.-]/).filter((word) => word !== '' && word !== 'api');
  return (
    method.toLowerCase() +
    words.map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word))).join('')
  );
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function parameters(place: 'path' | 'query', schema: z.ZodObject | undefined): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = parameterSchema(field as z.ZodType);
    return {
      name,
      in: place,
      required: place === 'path' || !z.safeParse(field, undefined).success,
      ...(description !== undefined && { description }),
      schema: rest,
    };
  });
}

/** A number in a query is described as one, although it comes as text; what is changed when it is read, as it comes. */
function parameterSchema(field: z.ZodType): Json {
  try {
    return schemaOf(field, 'output');
  } catch {
    return schemaOf(field, 'input');
  }
}

function success(route: Route): Json {
  if ('open' in route) {
    const [what, type] =
      route.wire === 'lines'
        ? ['One JSON text per line.', 'application/x-ndjson']
        : ['Server-sent events.', 'text/event-stream'];
    return { 200: { description: what, content: { [type]: { schema: { type: 'string' } } } } };
  }
  return { [route.status ?? 200]: { description: 'Done.', content: jsonContent(route.response, 'output') } };
}

function refusals(route: Route): Json {
  const byStatus = Map.groupBy(
    new Set([...ALWAYS, ...(route.refusals ?? [])]),
    (code) => ERRORS[code].status,
  );
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: codes.join(' or '), content }]),
  );
}

function jsonContent(schema: z.ZodType, io: 'input' | 'output'): Json {
  return { 'application/json': { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}
