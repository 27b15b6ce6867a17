import { Agent, request } from 'node:http';

export type Load = Readonly<{
  url: string;
  total: number;
  inFlight: number;
  headers?: Readonly<Record<string, string>>;
  body(i: number): string;
  /** Throws when an answer is not what it should be: a fast wrong answer must not count. */
  check?(text: string): void;
}>;

/** Sends `total` requests with at most `inFlight` under way; answers seconds. */
export async function hammer({ url, total, inFlight, headers = {}, body, check }: Load): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: inFlight });
  let next = 0;
  const started = performance.now();
  const one = (i: number) =>
    new Promise<void>((resolve, reject) => {
      const text = body(i);
      const sent = request(
        url,
        { method: 'POST', agent, headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers } },
        (response) => {
          let answer = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (answer += chunk));
          response.on('end', () => {
            try {
              if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}: ${answer.slice(0, 300)}`);
              check?.(answer);
              resolve();
            } catch (error) {
              reject(error instanceof Error ? error : new Error(String(error)));
            }
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < total) await one(next++);
    }),
  );
  agent.destroy();
  return (performance.now() - started) / 1000;
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
};

/** A stateless tools/call: its headers and its body. */
export function modernCall(name: string, args: (i: number) => object): Pick<Load, 'headers' | 'body' | 'check'> {
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: (i) => JSON.stringify({ jsonrpc: '2.0', id: i + 1, method: 'tools/call', params: { name, arguments: args(i), _meta: META } }),
    check(text) {
      if (!text.includes('"result"') || text.includes('"isError":true')) throw new Error(`A refused call: ${text.slice(0, 300)}`);
    },
  };
}
