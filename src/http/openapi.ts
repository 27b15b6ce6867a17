// OpenAPI, written from the schemas that check requests and answers, so it cannot say anything else.
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../kernel/errors.ts';
import { VERSION } from '../kernel/version.ts';
import { isGuardedPath } from '../features/access/rules.ts';
import { formOf } from './error-forms.ts';
import type { Route } from './route.ts';

type Json = Readonly<Record<string, unknown>>;

/** OpenAPI 3.1 from the same schemas that check the requests, so that it cannot drift from what the hub does. */
export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:([A-Za-z]+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route) };
  }
  const forms = routes.flatMap((route) => refusalsOf(route).map((code) => formOf(code, route.path)));
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'Holdfast', version: VERSION, summary: 'One local hub for every coding agent.' },
    paths,
    components: {
      schemas: Object.fromEntries(forms.map(({ name, schema }) => [name!, schemaOf(schema!, 'output')])),
      securitySchemes: {
        [CREDENTIAL]: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The hub token, or an agent token; its scopes must name that of the operation (x-scope).',
        },
      },
      responses: {
        TooSlow: early('took too long to arrive'),
        HeadersTooLarge: early('has too large headers'),
      },
    },
  };
}

const CREDENTIAL = 'hubToken';

/** Answered by the socket itself, wherever the request was going. */
function early(what: string): Json {
  return { description: `The request ${what}.`, content: errorContent('Error') };
}

function operation(route: Route): Json {
  const { params, query, body } = route.asks();
  return {
    summary: route.summary,
    operationId: operationId(route),
    tags: [route.tag],
    'x-scope': route.scope,
    security: securityOf(route),
    parameters: [...parameters('path', params), ...parameters('query', query)],
    ...(body && {
      requestBody: {
        required: !body.safeParse(undefined).success,
        content: jsonContent(body, 'input'),
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

/** On loopback the owner needs a credential where the guard asks for one, or the route itself does. */
function securityOf({ isPublic, path, refusals }: Route): Json[] {
  const isRequired = !isPublic && (isGuardedPath(path) || refusals?.includes('unauthorized'));
  return isRequired ? [{ [CREDENTIAL]: [] }] : [{ [CREDENTIAL]: [] }, {}];
}

function success(route: Route): Json {
  if (!('open' in route)) {
    const { status = 200, contentType, response, cache } = route;
    const content = contentType
      ? { [contentType]: { schema: schemaOf(response, 'output') } }
      : jsonContent(response, 'output');
    const kept = cache === undefined ? {} : { 304: { description: 'It is what If-None-Match names.' } };
    const none = response.safeParse(undefined).success ? { 204: { description: 'There is nothing.' } } : {};
    return { [status]: { description: 'Done.', content }, ...none, ...kept };
  }
  const [what, type] =
    route.wire === 'lines'
      ? ['One JSON text per line.', 'application/x-ndjson']
      : ['Server-sent events.', 'text/event-stream'];
  const { status, schema } = route.answers ?? {};
  const whole = schema ? jsonContent(schema, 'output') : {};
  const stream = { [type]: { schema: { type: 'string' } } };
  if (status === undefined || status === 200)
    return { 200: { description: what, content: { ...stream, ...whole } } };
  return {
    200: { description: what, content: stream },
    [status]: { description: 'Taken on.', content: whole },
  };
}

/** Those that a route names, and those that everyone may meet: the guards, the body's and the hub's own. */
function refusalsOf(route: Route): readonly ErrorCode[] {
  const { method, isPublic, refusals = [] } = route;
  return [
    ...new Set<ErrorCode>([
      'invalid',
      'forbidden',
      'limited',
      'internal',
      'busy',
      'unavailable',
      ...(isPublic ? [] : (['unauthorized'] as const)),
      ...(method === 'GET' ? [] : (['too_large', 'unsupported_media'] as const)),
      ...(takesKey(route) ? (['conflict'] as const) : []),
      ...refusals,
    ]),
  ];
}

/** The same key for another request is refused, whatever it asks for. */
function takesKey(route: Route): boolean {
  const { body } = route.asks();
  const { properties } = body ? schemaOf(body, 'input') : {};
  return typeof properties === 'object' && properties !== null && 'idempotencyKey' in properties;
}

function refusals(route: Route): Json {
  const byStatus = Map.groupBy(refusalsOf(route), (code) => ERRORS[code].status);
  return {
    ...Object.fromEntries(
      [...byStatus].map(([status, codes]) => [
        status,
        {
          description: codes.join(' or '),
          content: errorContent(...codes.map((code) => formOf(code, route.path).name!)),
        },
      ]),
    ),
    408: { $ref: '#/components/responses/TooSlow' },
    431: { $ref: '#/components/responses/HeadersTooLarge' },
  };
}

function errorContent(...names: readonly string[]): Json {
  const refs = [...new Set(names)].map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return { 'application/json': { schema: refs.length === 1 ? refs[0] : { anyOf: refs } } };
}

function jsonContent(schema: z.ZodType, io: 'input' | 'output'): Json {
  return { 'application/json': { schema: schemaOf(schema, io) } };
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' });
  return rest;
}
