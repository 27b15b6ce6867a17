import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAnyAddress, judgeUrl, sendOut, type OutboundFailure } from './outbound.ts';

async function serve(): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    if (request.url === '/away') response.writeHead(302, { location: 'http://127.0.0.1/secret' }).end();
    else response.end(`hello ${request.headers.host}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

const signal = AbortSignal.timeout(10_000);
const whyOf = (work: Promise<unknown>) =>
  work.then(
    () => 'sent',
    (error: OutboundFailure) => error.why,
  );

describe('a name is closed', () => {
  it.each([
    ['to this machine', ['127.0.0.1']],
    ['over IPv6', ['::1']],
    ['dual-stack, with one address of the network at home', ['93.184.215.14', 'fd00::1']],
    ['dual-stack, the closed one first', ['10.0.0.8', '2606:2800:21f:cb07:6820:80da:af6b:8b2c']],
    ['mapped into IPv6', ['::ffff:127.0.0.1']],
    ['mapped, in hexadecimal', ['::ffff:7f00:1']],
    ['a public one mapped: it says nothing of where it leads', ['::ffff:93.184.215.14']],
    ['6to4 around an address at home', ['2002:7f00:1::1']],
    ['Teredo', ['2001:0:53aa:64c::1']],
    ['NAT64 around loopback', ['64:ff9b::7f00:1']],
    ['link-local', ['fe80::1']],
    ['link-local with its zone', ['fe80::1%eth0']],
    ['of a cloud, about itself', ['169.254.169.254']],
    ['shared address space', ['100.64.0.1']],
    ['nowhere', ['0.0.0.0']],
  ])('%s', async (_what, addresses) => {
    const sent = sendOut(new URL('http://somewhere.example/'), { signal, resolve: async () => addresses });
    expect(await whyOf(sent)).toBe('closed');
  });

  it('without an address', async () => {
    const resolve = async () => [];
    expect(await whyOf(sendOut(new URL('http://somewhere.example/'), { signal, resolve }))).toBe('nameless');
  });
});

describe('a URL is closed before anybody is asked', () => {
  it.each([
    ['http://127.0.0.1/', 'closed'],
    ['http://2130706433/', 'closed'],
    ['http://0x7f.1/', 'closed'],
    ['http://0177.0.0.1/', 'closed'],
    ['http://127.1/', 'closed'],
    ['http://[::ffff:127.0.0.1]/', 'closed'],
    ['http://localhost/', 'closed'],
    ['http://api.localhost./', 'closed'],
    ['file:///etc/passwd', 'scheme'],
    ['http://user:word@example.com/', 'password'],
  ])('%s', (url, why) => {
    expect(() => judgeUrl(new URL(url))).toThrow(expect.objectContaining({ why }) as Error);
  });

  it.each(['http://93.184.215.14/', 'https://example.com/', 'http://[2606:2800:21f:cb07::1]/'])(
    '%s is open',
    (url) => expect(() => judgeUrl(new URL(url))).not.toThrow(),
  );
});

describe('a connection', () => {
  it('goes to the address that was judged, whatever the name server says next', async () => {
    const { port, asked } = await serve();
    const answers = [['127.0.0.1'], ['10.1.1.1']];
    const resolve = async () => answers.shift()!;
    const response = await sendOut(new URL(`http://rebound.example:${port}/x`), {
      signal,
      resolve,
      isOpen: (address) => address === '127.0.0.1',
    });
    expect(await text(response)).toBe(`hello rebound.example:${port}`);
    expect(answers).toHaveLength(1);
    expect(asked).toEqual(['/x']);
  });

  it('is judged anew each time: the second answer of the same name is closed', async () => {
    const { port, asked } = await serve();
    const answers = [['127.0.0.1'], ['10.1.1.1']];
    const ask = () =>
      sendOut(new URL(`http://rebound.example:${port}/`), {
        signal,
        resolve: async () => answers.shift()!,
        isOpen: (address) => address === '127.0.0.1',
      });
    await text(await ask());
    expect(await whyOf(ask())).toBe('closed');
    expect(asked).toEqual(['/']);
  });

  it('follows no redirect', async () => {
    const { port, asked } = await serve();
    const response = await sendOut(new URL(`http://127.0.0.1:${port}/away`), {
      signal,
      isOpen: isAnyAddress,
    });
    expect(response.statusCode).toBe(302);
    expect(asked).toEqual(['/away']);
  });

  it('is given up when the name server keeps silent', async () => {
    const sent = sendOut(new URL('http://silent.example/'), {
      signal: AbortSignal.timeout(50),
      resolve: () => new Promise(() => undefined),
    });
    expect(await whyOf(sent)).toBe('slow');
  });
});
