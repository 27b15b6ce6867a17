import { connect } from 'node:net';

export type Load = Readonly<{
  url: string;
  total: number;
  inFlight: number;
  headers?: Readonly<Record<string, string>>;
  body(i: number): string;
  /** Throws when an answer is not what it should be: a fast wrong answer must not count. */
  check?(text: string): void;
}>;

/**
 * Sends `total` requests over `inFlight` keep-alive connections and answers seconds. Raw sockets, because the
 * generator shares the machine with what it measures.
 */
export async function hammer({ url, total, inFlight, headers = {}, body, check }: Load): Promise<number> {
  const { hostname, port, pathname, search } = new URL(url);
  const head = [
    `POST ${pathname}${search} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ].join('\r\n');
  let next = 0;
  const started = performance.now();
  const lane = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      let received = '';
      const send = () => {
        if (next >= total) {
          socket.end(resolve);
          return;
        }
        const text = body(next++);
        socket.write(`${head}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      };
      socket.setEncoding('latin1');
      socket.on('connect', send);
      socket.on('error', reject);
      socket.on('data', (chunk: string) => {
        received += chunk;
        if (!isWhole(received)) return;
        const answer = received;
        received = '';
        try {
          if (!answer.startsWith('HTTP/1.1 200'))
            throw new Error(`An unexpected answer: ${answer.slice(0, 400)}`);
          check?.(answer);
        } catch (error) {
          socket.destroy();
          return reject(error instanceof Error ? error : new Error(String(error)));
        }
        send();
      });
    });
  await Promise.all(Array.from({ length: inFlight }, lane));
  return (performance.now() - started) / 1000;
}

function isWhole(response: string): boolean {
  const end = response.indexOf('\r\n\r\n');
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(response.slice(0, end))?.[1];
  return length === undefined ? response.endsWith('0\r\n\r\n') : response.length >= end + 4 + Number(length);
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '0' },
};

/** A stateless tools/call: its headers and its body. */
export function modernCall(
  name: string,
  args: (i: number) => object,
): Pick<Load, 'headers' | 'body' | 'check'> {
  return {
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: (i) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: i + 1,
        method: 'tools/call',
        params: { name, arguments: args(i), _meta: META },
      }),
    check(text) {
      if (!text.includes('"result"') || text.includes('"isError":true'))
        throw new Error(`A refused call: ${text.slice(0, 300)}`);
    },
  };
}
