import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { guardOrigin, hostRules } from './guards.ts';

const rules = hostRules({ host: '127.0.0.1', port: 18790, allowHosts: ['hub.example', 'box:8080'] });
const refuse = (headers: Record<string, string>) => () =>
  guardOrigin({ host: '127.0.0.1:18790', ...headers }, rules);

describe('Host', () => {
  it.each([
    '127.0.0.1:18790',
    'localhost:18790',
    'LOCALHOST:18790',
    '[::1]:18790',
    'hub.example',
    'hub.example:18790',
    'box:8080',
  ])('%s is ours', (host) => {
    expect(refuse({ host })).not.toThrow();
  });

  it.each([
    '',
    'localhost',
    '127.0.0.1:80',
    'localhost:18791',
    'evil.example:18790',
    'localhost.evil.example:18790',
    'box',
    'box:18790',
    '127.0.0.1:18790,x',
  ])('%j is foreign', (host) => {
    expect(refuse({ host })).toThrow('This Host is not allowed here.');
  });

  it('of a wildcard address does not become a name', () => {
    const open = hostRules({ host: '0.0.0.0', port: 1, allowHosts: [] });
    expect(open.isAllowed('0.0.0.0:1')).toBe(false);
    expect(open.isAllowed('localhost:1')).toBe(true);
  });

  it('of a wildcard address is every address of the machine, as a number', () => {
    const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
    const all = hostRules({ host: '::', port: 1, allowHosts: [] });
    const four = hostRules({ host: '0.0.0.0', port: 1, allowHosts: [] });
    for (const { address, family } of own) {
      const written = family === 'IPv6' ? `[${address}]` : address;
      expect(all.isAllowed(`${written}:1`), written).toBe(true);
      expect(four.isAllowed(`${written}:1`), written).toBe(family === 'IPv4' || address === '::1');
      expect(all.isAllowed(`${written}:2`), written).toBe(false);
      expect(all.isAllowed(written), written).toBe(false);
      const isLoopback = ['127.0.0.1', '::1'].includes(address);
      expect(rules.isAllowed(`${written}:18790`), written).toBe(isLoopback);
    }
    expect(all.isAllowed('[0:0:0:0:0:0:0:1]:1')).toBe(true);
    for (const foreign of [
      '192.0.2.77:1',
      '[2001:db8::77]:1',
      'a.example:1',
      `${hostname()}.x:1`,
      '1:1',
      '127.1:1',
    ])
      expect(all.isAllowed(foreign), foreign).toBe(false);
  });

  it('of an IPv6 address is written in brackets', () => {
    expect(hostRules({ host: 'fd00::1', port: 1, allowHosts: [] }).isAllowed('[fd00::1]:1')).toBe(true);
  });
});

describe('Origin', () => {
  it('may be absent or our own', () => {
    expect(refuse({})).not.toThrow();
    expect(refuse({ origin: 'http://localhost:18790' })).not.toThrow();
    expect(refuse({ origin: 'https://hub.example' })).not.toThrow();
  });

  it.each([
    'null',
    '',
    'http://evil.example',
    'http://localhost:3000',
    'http://user@localhost:18790',
    'file://',
    'http://localhost:18790/',
  ])('%j is foreign', (origin) => {
    expect(refuse({ origin })).toThrow('This Origin is not allowed here.');
  });
});

describe('Sec-Fetch-Site', () => {
  it('lets same-origin and direct navigation through', () => {
    expect(refuse({ 'sec-fetch-site': 'same-origin' })).not.toThrow();
    expect(refuse({ 'sec-fetch-site': 'none' })).not.toThrow();
  });

  it.each(['cross-site', 'same-site'])('stops %s', (site) => {
    expect(refuse({ 'sec-fetch-site': site })).toThrow('This Sec-Fetch-Site is not allowed here.');
  });
});
