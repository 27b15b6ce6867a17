import type { Api } from './features/api.ts';
import { resolveConfig } from './kernel/config.ts';
import { HubError } from './kernel/errors.ts';
import { findHub, linkTo } from './kernel/hub-link.ts';
import type { StreamedMessage } from './kernel/sse.ts';
import { callRoutes } from './operation/client.ts';

/** A running hub, as a program asks it: every operation by the text of its route, typed. */
export interface HubConnection {
  /** `http://host:port` of the hub. */
  readonly address: string;
  readonly ask: ReturnType<typeof askBy>;
  /** The messages of an event stream, such as `/api/events`, until the signal aborts. */
  follow(path: string, signal: AbortSignal): AsyncIterable<StreamedMessage>;
  /** Ends what is under way; asking afterwards is refused. */
  close(): Promise<void>;
}

export type ConnectOptions = Readonly<{
  /** A SQLite file or a postgres:// URL; found as the command line finds it unless given. */
  database?: string;
  /** An agent's token, to speak as that agent; the hub's own unless given. */
  token?: string;
  env?: Readonly<Record<string, string | undefined>>;
}>;

/** Finds the hub that runs on a database. It is never started by this. */
export async function connect(options: ConnectOptions = {}): Promise<HubConnection> {
  const { database, token, env = process.env } = options;
  const config = await resolveConfig({
    flags: database === undefined ? {} : { '--database': database },
    env,
  });
  const found = await findHub(config, env);
  if (!found)
    throw new HubError('unavailable', 'No hub is running on this database.', {
      hint: 'Start one with `holdfast up`.',
    });
  const over = new AbortController();
  const { call, follow } = linkTo({ ...found, ...(token !== undefined && { token }) }, over.signal);
  return {
    address: found.address,
    ask: askBy(call),
    follow: (path, signal) => follow(path, AbortSignal.any([signal, over.signal])),
    close: async () => over.abort(new HubError('unavailable', 'This connection was closed.')),
  };
}

type Send = (method: string, path: string, body?: unknown) => Promise<unknown>;

/** What it answers is left to be inferred: so the published declarations have it written out. */
function askBy(send: Send) {
  return callRoutes<Plain<Api>>(({ method, path, body }) => send(method, path, body));
}

/** The same types without the schemas they are made of: a program needs nothing else to use them. */
type Plain<T> = T extends readonly (infer E)[]
  ? Plain<E>[]
  : T extends object
    ? { [K in keyof T]: Plain<T[K]> }
    : T;
