// One small request to the hub of this machine, over a bare socket: `node:http` alone takes longer to load than Node to start.
import { connect } from 'node:net';
import type { HubAddress } from './hub-link.ts';

type SmallAnswer = Readonly<{ status: number; body: unknown }>;

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
    // What cannot be read as an answer rejects as what cannot be reached does.
    socket.on('end', () => resolve(Promise.resolve(Buffer.concat(chunks)).then(readAnswer)));
    socket.write(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent]));
  });
}

const TOO_LONG_MS = 10_000;

function readAnswer(bytes: Buffer): SmallAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, Math.max(0, end)).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1]);
  const body = bytes.subarray(end + 4);
  if (!(status > 0) || body.length !== length) throw new Error('an answer that is not whole');
  return { status, body: JSON.parse(body.toString('utf8')) as unknown };
}
