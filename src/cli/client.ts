import { existsSync } from 'node:fs';
import { isHubAlive, readHubRecord, recordPath } from '../kernel/discovery.ts';
import { ERRORS, type ErrorCode, HubError } from '../kernel/errors.ts';
import { type Config, isPostgresUrl } from '../kernel/config.ts';
import { hubToken } from '../kernel/home.ts';
import type { Api } from '../features/api.ts';
import { type CallRoute, callRoutes } from '../operation/client.ts';
import { adviseWith, type CallHub, type Hints } from './hints.ts';
import { configFrom, type Options } from './options.ts';
import type { World } from './world.ts';

/** The hub's REST surface, wherever it runs: the live hub of the database, or one started for this command alone. */
export interface Client extends AsyncDisposable {
  /** `ask('POST /api/board/tasks/:taskId/claim', { taskId })`, typed by the operation behind it. */
  ask: CallRoute<Api>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** The messages of an event stream until the signal aborts. Throws when the hub ends it. */
  follow(path: string, signal: AbortSignal): AsyncIterable<StreamedMessage>;
}

/** One command at its hub: who asks, and with which options. */
export type Asked = Readonly<{ world: World; client: Client; options: Options }>;

type StreamedMessage = Readonly<{ id: string | undefined; event: string; data: unknown }>;

export async function connect(world: World, config: Config): Promise<Client> {
  const record = readHubRecord(recordPath(config));
  if (record && (await isHubAlive(record)))
    return clientAt(
      record.address,
      hubToken({ ...config, tokenFile: record.tokenFile ?? config.tokenFile }, world.env),
      async () => undefined,
    );
  const hub = await world.createHub({ ...config, host: '127.0.0.1', ports: [0] }, 'private');
  return clientAt(hub.address, hubToken(config, world.env), () => hub.close());
}

/** One command's worth of a client, put away whatever happens. */
export async function withClient<T>(
  world: World,
  options: Options,
  work: (client: Client) => Promise<T>,
  hints: Hints = {},
): Promise<T> {
  const config = await configFrom(world, options);
  await using client = lazyClient(async (isReading) => {
    if (isReading && options['database'] !== undefined) requireDatabase(config);
    const opened = await connect(world, config);
    const call = adviseWith(hints, opened.call);
    return { ...opened, call, ask: askingBy(call) };
  });
  return await work(client);
}

/** Who names a file to read from means one that is there: an empty one, made on the way, would hide the typing error. */
function requireDatabase({ database }: Config): void {
  if (isPostgresUrl(database) || existsSync(database)) return;
  throw new HubError('not_found', `There is no database at ${database}.`, {
    hint: 'Check --database; `holdfast up` and commands that write make a new one there.',
  });
}

/** A client that its first call opens: what a command begins with tells whether it only reads. */
function lazyClient(open: (isReading: boolean) => Promise<Client>): Client {
  let opened: Promise<Client> | undefined;
  const openFor = (isReading: boolean): Promise<Client> => (opened ??= open(isReading));
  // A search is a reading, whatever carries its question.
  const call: CallHub = async <T>(method: string, path: string, body?: unknown): Promise<T> =>
    (await openFor(method === 'GET' || path.endsWith('/search'))).call<T>(method, path, body);
  return {
    call,
    ask: askingBy(call),
    async *follow(path, signal) {
      yield* (await openFor(true)).follow(path, signal);
    },
    async [Symbol.asyncDispose]() {
      // Why it could not be opened is for the call that tried to say.
      const client = await opened?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}

/** The command line belongs to whoever can read the hub token, so it speaks as the operator. */
function clientAt(address: string, token: string, close: () => Promise<void>): Client {
  const authorization = `Bearer ${token}`;
  const call: CallHub = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(`${address}${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw await refusalOf(response);
    return (await response.json()) as T;
  };
  return {
    call,
    ask: askingBy(call),
    async *follow(path, signal) {
      const response = await reach(`${address}${path}`, {
        headers: { authorization, accept: 'text/event-stream' },
        signal,
      });
      if (!response.ok) throw await refusalOf(response);
      let cause: unknown;
      try {
        yield* readMessages(response.body!);
      } catch (error) {
        cause = error;
      }
      if (!signal.aborted)
        throw new HubError(
          'unavailable',
          'The hub ended the connection.',
          { hint: 'Run `holdfast status`.' },
          cause,
        );
    },
    [Symbol.asyncDispose]: close,
  };
}

function askingBy(call: CallHub): CallRoute<Api> {
  return callRoutes<Api>(({ method, path, body }) => call(method, path, body));
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    throw new HubError(
      'unavailable',
      `The hub at ${new URL(url).origin} does not answer.`,
      { hint: 'Run `holdfast status`.' },
      error,
    );
  }
}

async function refusalOf(response: Response): Promise<HubError> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: unknown;
    code?: unknown;
    hint?: unknown;
    details?: object;
  };
  const code =
    typeof body.code === 'string' && Object.hasOwn(ERRORS, body.code) ? (body.code as ErrorCode) : 'internal';
  const message = typeof body.error === 'string' ? body.error : `The hub answered ${response.status}.`;
  return new HubError(code, message, {
    ...body.details,
    ...(typeof body.hint === 'string' && { hint: body.hint }),
  });
}

async function* readMessages(body: ReadableStream<Uint8Array>): AsyncIterable<StreamedMessage> {
  const decoder = new TextDecoder();
  let waiting = '';
  for await (const chunk of body) {
    const frames = (waiting + decoder.decode(chunk, { stream: true })).split('\n\n');
    waiting = frames.pop()!;
    for (const frame of frames) {
      const message = parseFrame(frame);
      if (message) yield message;
    }
  }
}

function parseFrame(frame: string): StreamedMessage | undefined {
  const fields = frame.split('\n').map((line) => /^(\w+): ?(.*)$/.exec(line));
  const valuesOf = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field![2]!);
  const data = valuesOf('data');
  if (data.length === 0) return undefined;
  return {
    id: valuesOf('id')[0],
    event: valuesOf('event')[0] ?? 'message',
    data: JSON.parse(data.join('\n')) as unknown,
  };
}
