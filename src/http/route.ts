import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { z } from 'zod';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';

/**
 * A route is data: its schemas check the request, describe it in OpenAPI and type its handler.
 * This is the one file of `http/` that rooms import; it knows nothing of the web framework.
 */
export type RouteContext = Readonly<{
  who: Principal;
  /** Aborts when the caller hangs up or the hub shuts down. */
  signal: AbortSignal;
  /** What the caller did in one go, by a name of its own (`kernel/hub-link.ts`): taken back in one go. */
  command?: string | undefined;
}>;

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

type Described = Readonly<{
  method: Method;
  /** Parameters are written `:name`, each declared in `params`. */
  path: string;
  summary: string;
  /** Groups routes in the OpenAPI document; the name of the room. */
  tag: string;
  scope: string;
  /**
   * Shown to whoever asks: what a stranger needs to introduce itself. A stranger has no scope, so the handler can keep back
   * what is for those who have.
   */
  isPublic?: true;
  /** A GET that changes something, because its documented clients expect it to: then HEAD must not do it by accident. */
  changes?: true;
  /**
   * The refusals of its own; those that every request may meet are understood (`openapi.ts`). `unauthorized`: it needs a
   * credential where its path does not.
   */
  refusals?: readonly ErrorCode[];
}>;

/** What a request is checked with. */
export type RequestParts = Readonly<{
  params?: z.ZodObject;
  /** Query values arrive as text: build them from plain strings and enums, or `integerText`, `flagText`, `listText`. */
  query?: z.ZodObject;
  body?: z.ZodType;
}>;

/** Most routes of a hub are never called, and schemas are the most of what it holds: they may be made when asked for. */
type Asking = Readonly<{ asks(): RequestParts }>;

/** The parts of a request, whatever has been read of them so far. */
export type RawInput = Readonly<{ params: unknown; query: unknown; body: unknown }>;

type RouteInput<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = Readonly<{
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
}>;

/** A named answer to one request. */
export type RouteDefinition<
  P extends z.ZodObject,
  Q extends z.ZodObject,
  B extends z.ZodType,
  R extends z.ZodType,
> = Described &
  Readonly<{
    params?: P;
    query?: Q;
    body?: B;
    response: R;
    /** 200 unless said otherwise. */
    status?: 200 | 201 | 202;
    /** For an answer that is text and not JSON. */
    contentType?: string;
    /** How long its answer may be kept: `Cache-Control`. Whoever kept it may ask whether it is still the same. */
    cache?: string;
    handler(input: RouteInput<P, Q, B>, context: RouteContext): Promise<z.input<R>>;
  }>;

/** One server-sent event; `data` is sent as it is when it is text, otherwise as JSON. */
export type StreamMessage = Readonly<{ id?: string | number; event?: string; data: unknown }>;

export interface Sink {
  /** False once the stream has ended: stop producing. */
  send(message: StreamMessage): boolean;
  /** Pending while the reader has more waiting than is good for it; nothing when it keeps up. Resolves when it has caught up or gone. */
  drained(): Promise<void> | undefined;
}

/** Produces until there is nothing more to tell or the signal aborts. */
export type Producer = (sink: Sink, signal: AbortSignal) => Promise<void>;

/** A stream that is not worth opening: the answer is whole already. */
export type Answered = Readonly<{ answer: unknown }>;
/** What a stream answers where it opens none, and how. */
type WholeAnswer = Readonly<{ status: 200 | 202; schema: z.ZodType }>;

type StreamContext = RouteContext &
  Readonly<{
    lastEventId: string | undefined;
    /** Any other header, for protocols that carry something in them. */
    header(name: string): string | undefined;
  }>;

/** How a stream looks: our own server-sent events, those of the documents, or one JSON text per line. */
export type WireName = 'events' | 'documented' | 'lines';

/** A stream. What `open` throws is an ordinary refusal; its producer runs once the stream stands. */
export type StreamDefinition<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType> = Described &
  Readonly<{
    method: 'GET' | 'POST';
    params?: P;
    query?: Q;
    body?: B;
    /** `events` unless said otherwise. */
    wire?: WireName;
    answers?: WholeAnswer;
    open(input: RouteInput<P, Q, B>, context: StreamContext): Promise<Producer | Answered>;
  }>;

/** A route with its types erased: what the registrar and the OpenAPI writer handle. */
export type Route = AnswerRoute | StreamRoute;

export type AnswerRoute = Described &
  Asking &
  Readonly<{
    response: z.ZodType;
    status?: 200 | 201 | 202;
    contentType?: string;
    cache?: string;
    handler(input: never, context: RouteContext): Promise<unknown>;
  }>;

export type StreamRoute = Described &
  Asking &
  Readonly<{
    wire?: WireName;
    answers?: WholeAnswer;
    open(input: never, context: StreamContext): Promise<Producer | Answered>;
  }>;

type Nothing = z.ZodObject<Record<string, never>>;

export function defineRoute<
  R extends z.ZodType,
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUndefined,
>(definition: RouteDefinition<P, Q, B, R>): Route {
  return { ...definition, asks: () => definition };
}

export function defineStream<
  P extends z.ZodObject = Nothing,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodType = z.ZodUndefined,
>(definition: StreamDefinition<P, Q, B>): Route {
  return { ...definition, asks: () => definition };
}

/** A whole number in a query string. Not coerced: `''`, `1e3` and ` 5` are refused. */
export function integerText<S extends z.ZodType<number, number>>(schema: S) {
  return z
    .string()
    .regex(/^-?\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(schema);
}

/** `true` or `false` in a query string. */
export function flagText() {
  return z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .pipe(z.boolean());
}

/** Comma-separated names in a query string. */
export function listText(max: number) {
  return z
    .string()
    .min(1)
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.string().min(1)).max(max));
}

/**
 * Something for a browser or an OAuth client: forms and pages instead of JSON in and out. It says itself who may use it;
 * the guard that knows principals by their tokens does not stand in front of it.
 */
export type Page = Readonly<{
  method: 'GET' | 'POST';
  path: string;
  /** Another site may send its visitor here. Only for pages that do nothing. */
  fromAnywhere?: true;
  handle(request: PageRequest): Promise<PageAnswer>;
}>;

export type PageRequest = Readonly<{
  /** `http://host:port` as the client knows us; the Host has been checked. */
  origin: string;
  /** Path and query as they came. */
  target: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  /** Of a form; empty for anything else. */
  form: URLSearchParams;
  /** Of a JSON body; undefined for anything else. */
  json: unknown;
  /** The same, byte for byte: for what is signed. */
  raw?: Buffer | undefined;
  headers: IncomingHttpHeaders;
  /** The connection it came on. */
  socket?: Socket | undefined;
}>;

export type PageAnswer = Readonly<{
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}>;

/** A request whose body is no text of ours: handed on as it comes. */
export type PipeCall = Readonly<{
  who: Principal;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  req: IncomingMessage;
  res: ServerResponse;
}>;

/** What it throws before it has answered is an ordinary refusal. */
export type Pipe = Readonly<{ method: 'GET' | 'POST'; path: string; handle(call: PipeCall): Promise<void> }>;
