// An operation, declared once as data. Its tool, its route, its row in OpenAPI and the documentation, the call of the
// command line, the query of the page and the input of the fuzz are read from it; `faces.ts` and `client.ts` do so.
import type { z } from 'zod';
import type { ErrorCode, HubError } from '../kernel/errors.ts';
import type { Principal } from '../kernel/principal.ts';

/** The fields of an input, each checked and described once. */
export type InputFields = z.ZodRawShape;
type ArgsOf<I extends InputFields> = z.output<z.ZodObject<I>>;

/** How it shows as a tool. */
type ToolFace = Readonly<{
  title: string;
  /** For models; the summary unless given. */
  description?: string;
  /** Calling it twice with the same arguments changes nothing more. What only looks is always repeatable. */
  isRepeatable?: boolean;
  /** What it takes away does not come back. */
  isDestructive?: true;
  profile?: 'extended';
  requiredUnlessKnown?: readonly string[];
  /** Fields of the result that somebody else wrote. */
  carries?: readonly string[];
}>;

/** What is said of every operation, whichever way it is done. */
type Said<I extends InputFields, O extends z.ZodType, P extends string, T extends string> = Readonly<{
  /** Its one name: of the tool, in idempotency keys, in what can be taken back. */
  name: string;
  /** One sentence for people. */
  summary: string;
  scope: string;
  input: I;
  output: O;
  /**
   * The refusals of its own; those that every request may meet are understood (`http/openapi.ts`). `unauthorized`: it needs a
   * credential where its path does not.
   */
  refusals?: readonly ErrorCode[];
  /** Absent: no tool. */
  tool?: ToolFace;
  /**
   * `POST /api/board/tasks/:taskId/claim`; absent: no route. Fields named in the path come from there, those after a `?`
   * and all others of a GET from the query, the rest from the body; one in braces, `PUT /api/sources/:name {entry}`, is all
   * of the body.
   */
  route?: P;
  /** Where the refusal of a body that does not fit is documented with a text of its own; what it does not know it ignores. */
  refuseBody?(error: z.ZodError): HubError;
  /** 200 unless said otherwise. */
  status?: 200 | 201 | 202;
  /** A body may hold fields that it does not know: documented clients may know more than we do. */
  isLoose?: true;
  /** Fields that only one of its faces takes. */
  onlyTool?: readonly (T & keyof I)[];
  onlyRoute?: readonly (keyof I & string)[];
  /** The argument that names the agent, when it is not `agentId`. */
  agentOf?(args: ArgsOf<I>, who: Principal): string | undefined;
  /** It makes a new claim: what its seat claimed before does not matter. */
  isAcquiring?: true;
}>;

/** Looks, in one snapshot. `view` is the room as its caller sees it. */
export type Look<
  V,
  I extends InputFields,
  O extends z.ZodType,
  P extends string = string,
  T extends string = string,
> = Said<I, O, P, T> & Readonly<{ way: 'look'; run(view: V, args: ArgsOf<I>): Promise<z.input<O>> }>;

/**
 * Changes, in one transaction. `room` is bound to it and to the caller. What has to be known of the world outside of the
 * database is learnt before the transaction begins.
 */
export type Change<
  R,
  I extends InputFields,
  O extends z.ZodType,
  P extends string = string,
  K extends object = object,
  S = never,
  T extends string = string,
> = Said<I, O, P, T> &
  Readonly<{
    way: 'change';
    learn?(service: S, args: ArgsOf<I>, context: WorkContext): Promise<K>;
    run(room: R, args: ArgsOf<I> & K): Promise<z.input<O>>;
  }>;

export type WorkContext = Readonly<{
  who: Principal;
  /** Aborts when the caller hangs up or the hub shuts down. */
  signal: AbortSignal;
  via: 'tool' | 'route';
  /** What a person did in one go (`http/route.ts`). */
  command?: string | undefined;
  /** Told to whoever waits, where its client can hear of it. */
  progress?(done: number, total?: number, message?: string): void;
}>;

/** Waits, or reaches outside the database, so it opens transactions of its own. */
export type Work<
  S,
  I extends InputFields,
  O extends z.ZodType,
  P extends string = string,
  T extends string = string,
> = Said<I, O, P, T> &
  Readonly<{
    way: 'work';
    /** Whether it only looks, as far as its caller can tell. */
    effect: 'read' | 'state';
    run(service: S, args: ArgsOf<I>, context: WorkContext): Promise<z.input<O>>;
  }>;

type Without<T> = Omit<T, 'way'>;

export function look<
  V,
  I extends InputFields,
  O extends z.ZodType,
  const P extends string = never,
  const T extends string = never,
>(said: Without<Look<V, I, O, P, T>>): Look<V, I, O, P, T> {
  return { ...said, way: 'look' };
}

export function change<
  R,
  I extends InputFields,
  O extends z.ZodType,
  const P extends string = never,
  K extends object = object,
  S = never,
  const T extends string = never,
>(said: Without<Change<R, I, O, P, K, S, T>>): Change<R, I, O, P, K, S, T> {
  return { ...said, way: 'change' };
}

export function work<
  S,
  I extends InputFields,
  O extends z.ZodType,
  const P extends string = never,
  const T extends string = never,
>(said: Without<Work<S, I, O, P, T>>): Work<S, I, O, P, T> {
  return { ...said, way: 'work' };
}

/** One with its types erased: what the faces handle. */
export type Operation<V = never, R = never, S = never> = Omit<
  Said<InputFields, z.ZodType, string, string>,
  'agentOf'
> &
  Readonly<{ agentOf?(args: never, who: Principal): string | undefined }> &
  (
    | Readonly<{ way: 'look'; run(view: V, args: never): Promise<unknown> }>
    | Readonly<{
        way: 'change';
        learn?(service: S, args: never, context: WorkContext): Promise<object>;
        run(room: R, args: never): Promise<unknown>;
      }>
    | Readonly<{
        way: 'work';
        effect: 'read' | 'state';
        run(service: S, args: never, context: WorkContext): Promise<unknown>;
      }>
  );
