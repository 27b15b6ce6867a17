// One small request to the hub of this machine, over a bare socket: `node:http` alone takes longer to load than Node to start.
import { connect } from 'node:net';
import type { HubAddress } from './hub-link.ts';

type SmallAnswer = Readonly<{ status: number; text: string }>;

/** Answers of a few kilobytes that have a length. Anything else is for who has more time, so it is refused. */
export function postSmall({ address, token }: HubAddress, path: string, body: unknown): Promise<SmallAnswer> {
  const { hostname, port, host } = new URL(address);
  const sent = Buffer.from(JSON.stringify(body));
  const head = [
    `POST ${path} HTTP/1.1`,
    `host: ${host}`,
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    `content-length: ${sent.length}`,
    'connection: close',
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
    const chunks: Buffer[] = [];
    socket.setTimeout(TOO_LONG_MS, () => socket.destroy(new Error('the hub does not answer')));
    socket.on('error', reject);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      const answer = readAnswer(Buffer.concat(chunks));
      if (answer) resolve(answer);
      else reject(new Error('the hub gave an answer that is not whole'));
    });
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent]));
  });
}

const TOO_LONG_MS = 10_000;

function readAnswer(bytes: Buffer): SmallAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, Math.max(0, end)).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  const body = bytes.subarray(end + 4);
  if (!(status > 0) || body.length !== length) return undefined;
  return { status, text: body.toString('utf8') };
}
