// Connects to an MCP server of others, a program or a URL, in either era. A program sees only what it is
// given.
import {
  Client,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { redactLines } from '../../kernel/redact-stream.ts';
import type { Question, Reply } from '../ask.ts';
import type { McpLogLevel } from '../define.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { ListKind } from '../server.ts';
import { type Child, createChild } from './child.ts';
import { asHubError } from './failure.ts';
import { createKeptLogin, createLogin, createMachineLogin } from './login.ts';
import type { KeptLogin, Login, LoginOptions, MachineLogin } from './login.ts';
import { createUpstream, type Upstream } from './upstream.ts';
import { createWebFetch } from './web.ts';
import { withinSite } from './within-site.ts';
import { withoutSecrets } from './without-secrets.ts';

export type UpstreamTarget =
  | Readonly<{ kind: 'http'; url: string; headers?: Readonly<Record<string, string>> }>
  | Readonly<{
      kind: 'stdio';
      command: string;
      args?: readonly string[];
      /** All that the program sees of an environment. */
      env?: Readonly<Record<string, string>>;
      cwd?: string;
      /** Whose it is, in the environment of everything it starts. */
      mark?: string;
    }>;

export type UpstreamOptions = Readonly<{
  /** 'auto' (the default) asks the server which era it speaks, 'legacy' does not; a version pins one. */
  version?: string;
  connectMs?: number;
  callMs?: number;
  /** Gives a connection up that is still being made. */
  signal?: AbortSignal;
  /** How a user logs in, or the hub itself. */
  login?: LoginOptions | MachineLogin | KeptLogin;
  /** Answers questions the upstream puts to its client. Absent: it is told that we cannot be asked. */
  answer?(question: Question): Promise<Reply>;
  onListChanged?(list: ListKind): void;
  onUpdated?(uri: string): void;
  onLog?(line: LogLine): void;
  onClosed?(why: string | undefined): void;
}>;

export type LogLine = Readonly<{ level: McpLogLevel; data: unknown; logger?: string }>;

const INFO = { name: 'holdfast', version: '0.1.0' };
/** One login for a connection, and further ones when a call needs a wider scope; a server that is never content is given up. */
const MAX_LOGINS = 3;
/** A program that does not know the question which era it speaks may not answer it at all. */
const PROBE_MS = 3_000;

/** Connects to a server of others. No type of the SDK passes beyond this folder. */
export async function connectUpstream(
  target: UpstreamTarget,
  options: UpstreamOptions = {},
): Promise<Upstream> {
  try {
    return await connectAs(target, options, options.version ?? 'auto');
  } catch (error) {
    // Programs of some older kits end when they are asked anything before `initialize`: those are started once more, unasked.
    if (target.kind === 'http' || (options.version ?? 'auto') !== 'auto' || !endedOnProbe(error)) throw error;
    return connectAs(target, options, 'legacy');
  }
}

function endedOnProbe(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof SdkError && cause.code === SdkErrorCode.EraNegotiationFailed;
}

async function connectAs(
  target: UpstreamTarget,
  options: UpstreamOptions,
  version: string,
): Promise<Upstream> {
  const { connectMs = 30_000, callMs = 60_000 } = options;
  const login = options.login && loginFor(options.login);
  const where = target.kind === 'http' ? new URL(target.url).origin : target.command;
  const client = new Client(INFO, {
    versionNegotiation: {
      mode: modeOf(version),
      ...(target.kind === 'stdio' && { probe: { timeoutMs: Math.min(PROBE_MS, connectMs) } }),
    },
    capabilities: options.answer
      ? { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} }
      : {},
    // What a tool answers is passed on as it is; compiling schemas of others into code is not our part.
    jsonSchemaValidator: {
      getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
    },
    ...(options.onListChanged && { listChanged: handlers(options.onListChanged) }),
  });
  if (options.answer) answerQuestions(client, options.answer);
  hearNotices(client, options);

  let transport: Transport | Child;
  /** Runs work and, when the server wants the user to log in first, does that and runs it again. */
  async function withLogin<T>(work: () => Promise<T>): Promise<T> {
    for (let logins = 0; ; logins += 1) {
      try {
        return await work();
      } catch (error) {
        const visit = error instanceof UnauthorizedError ? login?.returned() : undefined;
        if (!visit || logins >= MAX_LOGINS) throw asHubError(error, where);
        await (transport as StreamableHTTPClientTransport).finishAuth(await visit).catch((cause: unknown) => {
          throw asHubError(cause, where);
        });
      }
    }
  }

  let isOpen = false;
  const onclose = () => (isOpen ? options.onClosed?.(lastWordsOf(transport)) : undefined);
  Object.assign(client, { onclose });
  const giveUp = () => void transport?.close().catch(() => undefined);
  options.signal?.addEventListener('abort', giveUp);
  await withLogin(async () => {
    transport = openTransport(target, login?.provider);
    try {
      options.signal?.throwIfAborted();
      await client.connect(transport, {
        timeout: connectMs,
        ...(options.signal && { signal: options.signal }),
      });
      if ('ended' in transport && transport.ended !== undefined) throw new Error('the program has ended');
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw withLastWords(error, transport);
    }
  }).finally(() => options.signal?.removeEventListener('abort', giveUp));
  isOpen = true;
  return withoutSecrets(
    createUpstream(client, { withLogin, callMs, close: () => closeBoth(client, transport) }),
  );
}

/** What a program said last explains better than anything why it could not be reached. */
function withLastWords(error: unknown, transport: Transport): unknown {
  const words = lastWordsOf(transport);
  if (words === undefined || !(error instanceof Error) || error instanceof UnauthorizedError) return error;
  error.message = `${error.message}; ${words}`;
  return error;
}

function lastWordsOf(transport: Transport | Child): string | undefined {
  if (!('noise' in transport)) return undefined;
  const { ended, stderr } = transport;
  const said = redactLines(stderr).trimEnd().split('\n').at(-1)?.trim().slice(0, 300);
  const parts = [ended, said === undefined || said === '' ? undefined : `it said last: ${said}`].filter(
    (part) => part !== undefined,
  );
  return parts.length === 0 ? undefined : parts.join('; ');
}

async function closeBoth(client: Client, transport: Transport): Promise<void> {
  await client.close();
  await transport.close();
}

function openTransport(target: UpstreamTarget, provider: Login['provider'] | undefined): Transport {
  if (target.kind === 'http') {
    const requestInit = target.headers && { headers: { ...target.headers } };
    return new StreamableHTTPClientTransport(new URL(target.url), {
      fetch: createWebFetch(withinSite(target.url)),
      ...(requestInit && { requestInit }),
      ...(provider && { authProvider: provider }),
    });
  }
  const { command, args = [], env, cwd, mark = 'unmarked' } = target;
  return createChild({ command, args, env: env ?? plainEnvironment(), cwd, mark });
}

/** What every program needs and no secret is in. */
function plainEnvironment(): Record<string, string> {
  const { PATH, HOME } = process.env;
  return { ...(PATH !== undefined && { PATH }), ...(HOME !== undefined && { HOME }) };
}

function loginFor(options: LoginOptions | MachineLogin | KeptLogin): Login {
  if ('kept' in options) return createKeptLogin(options);
  return 'vault' in options ? createLogin(options) : createMachineLogin(options);
}

function modeOf(version: string): 'auto' | 'legacy' | { pin: string } {
  return version === 'auto' || version === 'legacy' ? version : { pin: version };
}

/** We fetch a list again when somebody asks for it, not because it was said to have changed. */
function handlers(
  onListChanged: (list: ListKind) => void,
): Record<ListKind, { autoRefresh: false; onChanged(): void }> {
  const handler = (list: ListKind) => ({ autoRefresh: false as const, onChanged: () => onListChanged(list) });
  return { tools: handler('tools'), prompts: handler('prompts'), resources: handler('resources') };
}

function hearNotices(client: Client, { onLog, onUpdated }: UpstreamOptions): void {
  if (onLog) client.setNotificationHandler('notifications/message', ({ params }) => onLog(params as LogLine));
  if (onUpdated)
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => onUpdated(params.uri));
}

function answerQuestions(client: Client, answer: (question: Question) => Promise<Reply>): void {
  const pass = (method: Question['method']) => async (request: { params?: unknown }) =>
    answer({ method, params: (request.params ?? {}) as Params } as Question);
  client.setRequestHandler('elicitation/create', pass('elicitation/create') as never);
  client.setRequestHandler('sampling/createMessage', pass('sampling/createMessage') as never);
  client.setRequestHandler('roots/list', pass('roots/list') as never);
}
