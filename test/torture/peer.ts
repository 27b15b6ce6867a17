import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** What test processes share: a stdio server as a child, spoken to the way a client does. */
export type Answer = Readonly<{ isError?: boolean; content: { text: string }[]; structuredContent: any }>;

export type Peer = (tool: string, args?: object) => Promise<Answer>;

/** A session over HTTP; one that the hub no longer knows is opened anew, as clients do. */
export function legacyPeer(url: string): Peer {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  let session: string | undefined;
  let last = 0;
  const post = (method: string, params: object) =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...(session !== undefined && { 'mcp-session-id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++last, method, params }),
      signal: AbortSignal.timeout(20_000),
    });
  return async (name, args = {}) => {
    if (session === undefined) {
      const clientInfo = { name: 'worker', version: '0' };
      const opened = await post('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo,
      });
      await opened.text();
      session = opened.headers.get('mcp-session-id') ?? undefined;
    }
    const response = await post('tools/call', { name, arguments: args });
    const { result, error } = (await response.json()) as { result?: Answer; error?: { message: string } };
    if (!result) throw new Error(error?.message);
    return result;
  };
}

export function stdioPeer(bin: string, name: string): Peer {
  const child = spawn(process.execPath, [bin, '--profile', 'extended'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (answer: any) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line) as { id: number };
    waiting.get(message.id)?.(message);
    waiting.delete(message.id);
  });
  child.on('exit', () => process.exit(1));
  let last = 0;
  const ask = (method: string, params: object) =>
    new Promise<any>((resolve) => {
      waiting.set(++last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: last, method, params })}\n`);
    });
  const opened = ask('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name, version: '0' },
  });
  return async (tool, args = {}) => {
    await opened;
    const { result, error } = await ask('tools/call', { name: tool, arguments: args });
    if (!result) throw new Error(error?.message);
    return result as Answer;
  };
}
