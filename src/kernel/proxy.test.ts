import { expect, it } from 'vitest';
import { proxyFor } from './proxy.ts';

const HUB = 'https://hub.example.net/team';
const PROXY = 'http://proxy.test:3128';
type Case = readonly [env: Readonly<Record<string, string>>, url: string, through: string | undefined];

const cases: readonly Case[] = [
  [{}, HUB, undefined],
  [{ HTTPS_PROXY: PROXY }, HUB, `${PROXY}/`],
  [{ https_proxy: 'proxy.test:3128', HTTPS_PROXY: 'http://other.test' }, HUB, `${PROXY}/`],
  [{ HTTPS_PROXY: 'http://ada:secret@proxy.test:3128' }, HUB, 'http://ada:secret@proxy.test:3128/'],
  [{ HTTP_PROXY: PROXY }, HUB, undefined],
  [{ HTTPS_PROXY: PROXY }, 'https://127.0.0.1:18790', undefined],
  [{ HTTPS_PROXY: PROXY }, 'http://localhost:18790', undefined],
  ...['hub.example.net', 'example.net', '.example.net', '*.example.net', '*', 'a, EXAMPLE.net:443'].map(
    (none): Case => [{ HTTPS_PROXY: PROXY, NO_PROXY: none }, HUB, undefined],
  ),
  ...['ample.net', 'example.net:8443', 'sub.hub.example.net', ''].map((none): Case => [
    { HTTPS_PROXY: PROXY, no_proxy: none },
    HUB,
    `${PROXY}/`,
  ]),
];

it.each(cases)('with %j %s is reached through %s', (env, url, through) => {
  expect(proxyFor(new URL(url), env)?.href).toBe(through);
});

it.each(['socks5://proxy.test:1080', 'https://proxy.test', 'http://'])('refused: %s', (text) => {
  expect(() => proxyFor(new URL(HUB), { HTTPS_PROXY: text })).toThrow('HTTPS_PROXY must be an address');
});
