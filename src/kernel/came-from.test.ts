import { expect, it } from 'vitest';
import { cameFrom } from './came-from.ts';

it.each([
  ['10.0.0.9', undefined, '10.0.0.9'],
  ['::ffff:10.0.0.9', undefined, '10.0.0.9'],
  ['127.0.0.1', undefined, '127.0.0.1'],
  ['127.0.0.1', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
  ['::1', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.9', '203.0.113.9', '10.0.0.9'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['2001:DB8:1:2:ffff::9', undefined, '2001:db8:1:2::/64'],
  ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
  ['127.0.0.1', '[2001:db8:1:2::7]:4711', '2001:db8:1:2::/64'],
])('a request over %s that says it is for %s came from %s', (remoteAddress, forwarded, from) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  expect(cameFrom({ headers, socket: { remoteAddress } })).toBe(from);
});
