// How a word of a runner gets to its hub: one connection that is kept, through a proxy where the environment names one.
import type { Agent, IncomingMessage, request as ask, RequestOptions } from 'node:http';
import { text } from 'node:stream/consumers';
import type { ConnectionOptions } from 'node:tls';
import type { Environment } from '../../../kernel/config.ts';
import { proxyFor } from '../../../kernel/proxy.ts';

const PATIENCE_MS = 20_000;

type Answer = Readonly<{ status: number; text: string }>;
type Word = Readonly<{ path: string; token: string; body: object; signal: AbortSignal }>;

export function createPost(hub: string, env: Environment): (word: Word) => Promise<Answer> {
  const proxy = proxyFor(new URL(hub), env);
  let opened: Promise<Way> | undefined;
  return async ({ path, token, body, signal }) => {
    const { request, agent } = await (opened ??= openWay(hub, proxy));
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const asking = request(`${hub}${path}`, { method: 'POST', agent, headers, signal }, resolve);
      asking.on('error', reject).end(bytes);
    });
    return { status: answer.statusCode!, text: await text(answer) };
  };
}

type Way = Readonly<{ request: typeof ask; agent: Agent }>;

/** Whoever asks over http holds nothing of what TLS takes. */
async function openWay(hub: string, proxy: URL | undefined): Promise<Way> {
  const isPlain = hub.startsWith('http:');
  const { request, Agent: Kept } = isPlain ? await import('node:http') : await import('node:https');
  const agent = new Kept({ keepAlive: true });
  if (proxy) agent.createConnection = await tunnelThrough(proxy);
  return { request, agent };
}

/** The proxy hears the name of the hub and nothing else: what is said goes over TLS from end to end. */
async function tunnelThrough(proxy: URL): Promise<Agent['createConnection']> {
  const [{ request }, { connect }] = await Promise.all([import('node:http'), import('node:tls')]);
  const { hostname: host, port, username, password } = proxy;
  const whose = [username, password].map(decodeURIComponent).join(':');
  return (options, connected) => {
    const to = `${options.host}:${options.port}`;
    const asking: RequestOptions = {
      method: 'CONNECT',
      host,
      port: port || 80,
      path: to,
      agent: false,
      timeout: PATIENCE_MS,
      headers: {
        host: to,
        ...(username && { 'proxy-authorization': `Basic ${Buffer.from(whose).toString('base64')}` }),
      },
    };
    const fail = (why: Error) => connected?.(why, undefined!);
    const tunnel = request(asking);
    tunnel.once('error', fail);
    tunnel.once('timeout', () => tunnel.destroy(new Error('The proxy did not answer.')));
    tunnel.once('connect', ({ statusCode }, socket) => {
      socket.setTimeout(0);
      if (statusCode === 200)
        return connected?.(null, connect({ ...(options as ConnectionOptions), socket }));
      socket.destroy();
      return fail(new Error(`The proxy answered ${statusCode}.`));
    });
    tunnel.end();
    return undefined;
  };
}
