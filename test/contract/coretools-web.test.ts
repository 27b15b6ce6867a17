import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isPublicAddress } from '../../src/kernel/addresses.ts';
import { coreHost } from '../fixtures/core-host.ts';

const CLOSED = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.255.255',
  '169.254.169.254',
  '169.254.0.1',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.88.99.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::1',
  '100::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'fc00::1',
  'fd00:ec2::254',
  'fdff::1',
  'ff02::1',
  'ff00::',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '2002:c0a8:1::1',
  '3fff::1',
  '5f00::1',
  '[::1]',
  'not-an-address',
  '',
];
const OPEN = [
  '1.1.1.1',
  '8.8.8.8',
  '93.184.216.34',
  '172.15.0.1',
  '172.32.0.1',
  '100.63.0.1',
  '100.128.0.1',
  '2606:4700::1111',
  '2a00:1450::1',
];

/** Addresses as a model might write them; each names loopback, a private or a link-local place. */
const URLS = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.000.000.001/',
  'http://①②⑦.⓪.⓪.①/',
  'http://１２７.０.０.１/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:7f00:1]/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/',
  'http://[fe80::1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://user:pass@example.com/',
  'http://example.com@127.0.0.1/',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:70/',
  'data:text/html,hi',
  'javascript:alert(1)',
  'ws://127.0.0.1/',
  'http://127.0.0.1:22/',
  'https://127.0.0.1/',
  'http://[::]/',
  'http://[::]:80/',
  'http://[0000::1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[0:0:0:0:0:ffff:127.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::ffff:192.168.0.1]/',
  'http://[64:ff9b::10.0.0.1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2001:0:7f00:1::]/',
  'http://[2002:c0a8:101::]/',
  'http://[fec0::1]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://0xA9FEA9FE/',
  'http://0xa9.0xfe.0xa9.0xfe/',
  'http://0251.0376.0251.0376/',
  'http://2852039166/',
  'http://3232235521/',
  'http://0300.0250.0.1/',
  'http://192.168.1/',
  'http://10.1/',
  'http://0x0a000001/',
  'http://00000177.0.0.1/',
  'http://127.0.0.1./',
  'http://127\u30020\u30020\u30021/',
  'http://127\uff0e0\uff0e0\uff0e1/',
  'http://%31%32%37.0.0.1/',
  'http://127.0.0.%31/',
  'http://%6c%6f%63%61%6c%68%6f%73%74/',
  'http://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/',
  'http://loc\u00adalhost/',
  'http://local\nhost/',
  'http://127.0.0.1\t/',
  'http:\\\\127.0.0.1\\',
  'http:/127.0.0.1/',
  'http:127.0.0.1/',
  'http:///127.0.0.1/',
  'http://127.0.0.1#@example.com/',
  'http://127.0.0.1?@example.com/',
  'http://example.com:80@127.0.0.1:80/',
  'http://example.com%40127.0.0.1/',
  'http://100.100.100.200/latest/meta-data/',
  'http://192.0.0.192/',
  'http://198.18.0.1/',
  'http://255.255.255.255/',
  'http://224.0.0.1/',
  'view-source:http://127.0.0.1/',
  'blob:http://127.0.0.1/x',
  'jar:http://127.0.0.1!/x',
  'unix:/var/run/docker.sock',
  'http://unix:/var/run/docker.sock:/containers/json',
];

describe(`WebFetch against ${CLOSED.length} closed addresses and ${URLS.length} ways to write one`, () => {
  it.each([
    [CLOSED, false],
    [OPEN, true],
  ] as const)('judges addresses', (addresses, isOpen) => {
    expect(addresses.filter((address) => isPublicAddress(address) !== isOpen)).toEqual([]);
  });

  it('fetches none of them, and does not even try to', async () => {
    const { call } = await coreHost();
    for (const url of URLS) {
      const { ok, line } = await call('WebFetch', { url, timeout_ms: 20_000 });
      expect(ok, url).toBe(false);
      expect(line, url).toMatch(
        /^denied: security:|^Not fetched: |^invalid arguments for WebFetch: url |^url is not an address|has no address/,
      );
    }
  });
});

/** A public web in miniature: names resolve as the test says, and exactly one loopback port counts as open. */
async function web(
  answer: (req: IncomingMessage, res: ServerResponse) => void,
  resolve?: (name: string) => Promise<string[]>,
  policy?: string,
) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  let isOpen = true;
  const options = {
    search: () => ({ searxng: { baseUrl: `http://127.0.0.1:${port}` } }),
    fetching: {
      resolve: resolve ?? (async () => ['127.0.0.1']),
      isOpen: (address: string) => isOpen && address === '127.0.0.1',
    },
  };
  const host = await coreHost(options, policy);
  return { ...host, port, close: () => (isOpen = false) };
}

describe('WebFetch', () => {
  it('answers the readable text of a page, without its scripts and navigation', async () => {
    const article = 'A holdfast is a rootlike structure that anchors seaweed to the rock beneath it. '.repeat(
      20,
    );
    const { call, port } = await web((_, res) =>
      res
        .setHeader('content-type', 'text/html; charset=utf-8')
        .end(
          `<html><head><title>Kelp</title><script>alert('no')</script></head><body><nav><a href="/">Menu</a></nav><article><h1>Kelp</h1><p>${article}</p></article></body></html>`,
        ),
    );
    const { value } = await call('WebFetch', { url: `http://sea.example:${port}/kelp` });
    expect(value).toMatchObject({
      status: 200,
      format: 'html',
      title: 'Kelp',
      truncated: false,
      final_url: `http://sea.example:${port}/kelp`,
    });
    expect(value.content).toContain('anchors seaweed');
    expect(value.content).not.toMatch(/alert|Menu/);
  });

  it('follows redirects, and judges each one anew', async () => {
    const { call, port } = await web((req, res) => {
      if (req.url === '/a') res.writeHead(302, { location: '/b' }).end();
      else if (req.url === '/metadata')
        res.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
      else if (req.url === '/file') res.writeHead(302, { location: 'file:///etc/passwd' }).end();
      else if (req.url === '/loop') res.writeHead(302, { location: '/loop' }).end();
      else res.setHeader('content-type', 'text/plain').end('arrived');
    });
    expect((await call('WebFetch', { url: `http://sea.example:${port}/a` })).value).toMatchObject({
      content: 'arrived',
      final_url: `http://sea.example:${port}/b`,
    });
    expect((await call('WebFetch', { url: `http://sea.example:${port}/metadata` })).denied).toBe(
      'web:closed',
    );
    expect((await call('WebFetch', { url: `http://sea.example:${port}/file` })).denied).toBe('web:closed');
    expect((await call('WebFetch', { url: `http://sea.example:${port}/loop` })).line).toContain(
      'redirects more than',
    );
  });

  it('follows no redirect to where a rule denies, or to another site that only a person could allow', async () => {
    const policy = [
      'version: 1',
      'rules:',
      '  - { tool: WebFetch, args: { url: "http://evil.example:*/*" }, decide: deny }',
      '  - { tool: WebFetch, args: { url: "http://sea.example:*/*" }, decide: allow }',
      '  - { tool: WebFetch, args: { url: "http://*.friend.example:*/*" }, decide: allow }',
      '',
    ].join('\n');
    const { call, port } = await web(
      (req, res) => {
        const to = new URL(req.url!, 'http://x').searchParams.get('to');
        if (to !== null) res.writeHead(302, { location: `http://${to}:${port}/` }).end();
        else res.setHeader('content-type', 'text/plain').end('arrived');
      },
      undefined,
      policy,
    );
    const led = async (to: string) => {
      const { value, denied } = await call('WebFetch', { url: `http://sea.example:${port}/?to=${to}` });
      return denied ?? value.content;
    };
    expect(await led('sea.example')).toBe('arrived');
    expect(await led('a.friend.example')).toBe('arrived');
    expect(await led('evil.example')).toBe('web:redirect');
    expect(await led('EVIL.example.')).toBe('web:redirect');
    expect(await led('other.example')).toBe('web:redirect');
  });

  it('refuses a name when any of its addresses is closed', async () => {
    const { call, port } = await web(
      (_, res) => void res.end('x'),
      async () => ['127.0.0.1', '10.0.0.1'],
    );
    expect((await call('WebFetch', { url: `http://two.example:${port}/` })).denied).toBe('web:closed');
  });

  it('connects to the address it judged, however the name resolves the second time', async () => {
    let asked = 0;
    const { call, port } = await web(
      (_, res) => void res.setHeader('content-type', 'text/plain').end('pinned'),
      async () => ((asked += 1), asked === 1 ? ['127.0.0.1'] : ['10.0.0.1']),
    );
    expect((await call('WebFetch', { url: `http://rebind.example:${port}/` })).value.content).toBe('pinned');
    expect(asked).toBe(1);
    expect((await call('WebFetch', { url: `http://rebind.example:${port}/` })).denied).toBe('web:closed');
  });

  it('judges again when a redirect leads to the same name that now resolves elsewhere', async () => {
    let asked = 0;
    const { call, port } = await web(
      (_, res) => void res.writeHead(302, { location: '/again' }).end(),
      async () => ((asked += 1), asked === 1 ? ['127.0.0.1'] : ['192.168.0.1']),
    );
    expect((await call('WebFetch', { url: `http://rebind.example:${port}/` })).denied).toBe('web:closed');
  });

  it('stops at its size, also when that is only reached by unpacking', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 'a'));
    const { call, port } = await web(
      (_, res) =>
        void res.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }).end(bomb),
    );
    const { value } = await call('WebFetch', { url: `http://sea.example:${port}/` });
    expect(value.truncated).toBe(true);
    expect(value.size_bytes).toBeLessThanOrEqual(10 * 1024 * 1024);
  });

  it('says so when the answer breaks off while it is unpacked, or is not what it says', async () => {
    const packed = gzipSync(Buffer.from('x'.repeat(100_000)));
    const { call, port } = await web((req, res) => {
      res.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
      if (req.url === '/broken') res.end('this is no gzip');
      else res.write(packed.subarray(0, 20), () => void setTimeout(() => res.destroy(), 20));
    });
    for (const path of ['/half', '/broken'])
      expect(await call('WebFetch', { url: `http://sea.example:${port}${path}` }), path).toMatchObject({
        ok: false,
        line: 'The answer broke off.',
      });
  });

  it('gives up on a name server that does not answer', async () => {
    const { call, port } = await web(
      (_, res) => void res.end('x'),
      () => new Promise(() => undefined),
    );
    expect((await call('WebFetch', { url: `http://sea.example:${port}/`, timeout_ms: 100 })).line).toBe(
      'The address did not answer in time.',
    );
  });

  it.each([
    'http://[::1]/',
    'http://0/',
    'http://2130706433/',
    'http://[::ffff:7f00:1]/',
    '//localhost/',
    'http://user:pw@sea.example/',
  ])('does not follow a redirect to %s', async (location) => {
    const { call, port, close } = await web((_, res) => {
      close();
      res.writeHead(302, { location }).end();
    });
    expect((await call('WebFetch', { url: `http://sea.example:${port}/` })).denied).toBe('web:closed');
  });

  it('gives up on a server that does not answer', async () => {
    const { call, port } = await web(() => undefined);
    expect((await call('WebFetch', { url: `http://sea.example:${port}/`, timeout_ms: 100 })).line).toBe(
      'The address did not answer in time.',
    );
  });

  it('rejects binary, and reads other charsets', async () => {
    const { call, port } = await web((req, res) => {
      if (req.url === '/png')
        res.setHeader('content-type', 'image/png').end(Buffer.from([137, 80, 78, 71, 0, 0]));
      else
        res
          .setHeader('content-type', 'text/plain; charset=iso-8859-1')
          .end(Buffer.from('K\u00fcste', 'latin1'));
    });
    expect((await call('WebFetch', { url: `http://sea.example:${port}/png` })).value).toMatchObject({
      format: 'binary-rejected',
      content: '',
    });
    expect((await call('WebFetch', { url: `http://sea.example:${port}/` })).value.content).toBe('Küste');
  });
});

describe('WebSearch', () => {
  it('asks the configured provider', async () => {
    const asked: string[] = [];
    const { call } = await web((req, res) => {
      asked.push(req.url!);
      res.end(
        JSON.stringify({
          results: [
            { title: 'A', url: 'https://a.example', content: 'about a' },
            { title: 'B', url: 'javascript:x', content: 'no' },
          ],
        }),
      );
    });
    const { value } = await call('WebSearch', {
      query: 'kelp',
      limit: 3,
      exclude_domains: ['b.example'],
      recency: '1w',
    });
    expect(value).toEqual({
      results: [{ title: 'A', url: 'https://a.example', snippet: 'about a' }],
      results_count: 1,
      truncated: false,
      provider: 'searxng',
    });
    expect(new URL(asked[0]!, 'http://x').searchParams.get('q')).toBe('kelp -site:b.example');
  });

  it('says what went wrong when the provider refuses', async () => {
    const { call } = await web((_, res) => void res.writeHead(429).end());
    expect(await call('WebSearch', { query: 'kelp' })).toMatchObject({
      ok: false,
      line: 'SearXNG answered 429.',
    });
  });
});
