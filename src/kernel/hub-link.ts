// Requests to a running hub over HTTP: what it answers, what it refuses in its own words, and its event streams.
import { COMMAND_HEADER } from './command-header.ts';
import type { Config, Environment } from './config.ts';
import { runningHub } from './discovery.ts';
import { ERRORS, type ErrorCode, HubError } from './errors.ts';
import { hubToken } from './home.ts';
import type { StreamedMessage } from './sse.ts';

export type HubAddress = Readonly<{ address: string; token: string }>;

/** What is done through this link is one command of a person's, taken back in one go. */
type OneCommand = Readonly<{ command?: string | undefined }>;

/** The hub that runs on a database, with the key that its owner has. */
export async function findHub(config: Config, env: Environment): Promise<HubAddress | undefined> {
  const announced = await runningHub(config);
  if (!announced) return undefined;
  const token = hubToken({ ...config, tokenFile: announced.tokenFile ?? config.tokenFile }, env);
  return { address: announced.address, token };
}

export type CallHub = <T>(method: string, path: string, body?: unknown) => Promise<T>;

export interface HubLink {
  call: CallHub;
  /** The messages of an event stream until the signal aborts. Throws when the hub ends it. */
  follow(path: string, signal: AbortSignal): AsyncIterable<StreamedMessage>;
}

/** Whoever can read the hub token speaks as the operator; an agent's token speaks as that agent. */
export function linkTo({ address, token, command }: HubAddress & OneCommand, until?: AbortSignal): HubLink {
  const authorization = `Bearer ${token}`;
  const call: CallHub = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await reach(`${address}${path}`, {
      method,
      headers: {
        authorization,
        ...(command !== undefined && { [COMMAND_HEADER]: command }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(until && { signal: until }),
    });
    if (!response.ok) throw await refusalOf(response);
    return (await response.json()) as T;
  };
  return {
    call,
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
        throw new HubError('unavailable', 'The hub ended the connection.', {
          hint: 'Run `holdfast status`.',
        }).because(cause);
    },
  };
}

async function reach(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new HubError('unavailable', `The hub at ${new URL(url).origin} does not answer.`, {
      hint: 'Run `holdfast status`.',
    }).because(error);
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
