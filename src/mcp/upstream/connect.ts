import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import type { Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { HubError } from '../../kernel/errors.ts';
import type { Question, Reply } from '../ask.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { ListKind } from '../server.ts';
import { createLogin, createMachineLogin } from './login.ts';
import type { Login, LoginOptions, MachineLogin } from './login.ts';
import { createUpstream } from './upstream.ts';
import type { Upstream } from './upstream.ts';

export type UpstreamTarget =
  | Readonly<{ kind: 'http'; url: string; headers?: Readonly<Record<string, string>> }>
  | Readonly<{ kind: 'stdio'; command: string; args?: readonly string[]; env?: Readonly<Record<string, string>>; cwd?: string }>;

export type UpstreamOptions = Readonly<{
  /** 'auto' (the default) asks the server which era it speaks, 'legacy' does not; a version pins one. */
  version?: string;
  connectMs?: number;
  callMs?: number;
  /** How a user logs in, or the hub itself. */
  login?: LoginOptions | MachineLogin;
  /** Answers questions the upstream puts to its client. Absent: it is told that we cannot be asked. */
  answer?(question: Question): Promise<Reply>;
  onListChanged?(list: ListKind): void;
  onClosed?(): void;
}>;

const INFO = { name: 'holdfast', version: '0.1.0' };
/** One login for a connection, and further ones when a call needs a wider scope; a server that is never content is given up. */
const MAX_LOGINS = 3;

/** Connects to a server of others. No type of the SDK passes beyond this folder. */
export async function connectUpstream(target: UpstreamTarget, options: UpstreamOptions = {}): Promise<Upstream> {
  const { connectMs = 30_000, callMs = 60_000 } = options;
  const login = options.login && loginFor(options.login);
  const client = new Client(INFO, {
    versionNegotiation: { mode: modeOf(options.version ?? 'auto') },
    capabilities: options.answer ? { elicitation: { form: { applyDefaults: true } }, sampling: {}, roots: {} } : {},
    ...(options.onListChanged && { listChanged: handlers(options.onListChanged) }),
  });
  if (options.answer) answerQuestions(client, options.answer);

  let transport: Transport;
  /** Runs work and, when the server wants the user to log in first, does that and runs it again. */
  async function withLogin<T>(work: () => Promise<T>): Promise<T> {
    for (let logins = 0; ; logins += 1) {
      try {
        return await work();
      } catch (error) {
        const visit = error instanceof UnauthorizedError ? login?.returned() : undefined;
        if (!visit || logins >= MAX_LOGINS) throw asHubError(error, target);
        await (transport as StreamableHTTPClientTransport).finishAuth(await visit).catch((cause: unknown) => {
          throw asHubError(cause, target);
        });
      }
    }
  }

  await withLogin(async () => {
    transport = openTransport(target, login?.provider);
    await client.connect(transport, { timeout: connectMs });
  });
  const { onClosed = () => undefined } = options;
  Object.assign(client, { onclose: onClosed });
  return createUpstream(client, withLogin, callMs);
}

function openTransport(target: UpstreamTarget, provider: Login['provider'] | undefined): Transport {
  if (target.kind === 'http') {
    const requestInit = target.headers && { headers: { ...target.headers } };
    return new StreamableHTTPClientTransport(new URL(target.url), {
      ...(requestInit && { requestInit }),
      ...(provider && { authProvider: provider }),
    });
  }
  const { command, args = [], env, cwd } = target;
  return new StdioClientTransport({
    command,
    args: [...args],
    stderr: 'pipe',
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  });
}

function loginFor(options: LoginOptions | MachineLogin): Login {
  return 'vault' in options ? createLogin(options) : createMachineLogin(options);
}

function modeOf(version: string): 'auto' | 'legacy' | { pin: string } {
  return version === 'auto' || version === 'legacy' ? version : { pin: version };
}

/** We fetch a list again when somebody asks for it, not because it was said to have changed. */
function handlers(onListChanged: (list: ListKind) => void): Record<ListKind, { autoRefresh: false; onChanged(): void }> {
  const handler = (list: ListKind) => ({ autoRefresh: false as const, onChanged: () => onListChanged(list) });
  return { tools: handler('tools'), prompts: handler('prompts'), resources: handler('resources') };
}

function answerQuestions(client: Client, answer: (question: Question) => Promise<Reply>): void {
  const pass = (method: Question['method']) => async (request: { params?: unknown }) =>
    answer({ method, params: (request.params ?? {}) as Params } as Question);
  client.setRequestHandler('elicitation/create', pass('elicitation/create') as never);
  client.setRequestHandler('sampling/createMessage', pass('sampling/createMessage') as never);
  client.setRequestHandler('roots/list', pass('roots/list') as never);
}

function asHubError(error: unknown, target: UpstreamTarget): HubError {
  if (error instanceof HubError) return error;
  const where = target.kind === 'http' ? new URL(target.url).origin : target.command;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UnauthorizedError) return new HubError('unauthorized', `${where} wants a login: ${message}`, {}, error);
  return new HubError('unavailable', `${where} could not be reached or refused: ${message}`, {}, error);
}
