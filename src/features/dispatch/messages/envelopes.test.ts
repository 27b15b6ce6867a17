import { createPrivateKey, sign } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createIdentity, expiryOf } from './envelopes.ts';

function identity() {
  const home = mkdtempSync(join(tmpdir(), 'hf-envelopes-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { home, own: createIdentity(home, 3) };
}

const message = {
  runId: 'r',
  kind: 'prompt',
  text: 'hello',
  from: 'ada',
  to: 'bob',
  hops: 0,
  at: 0,
} as const;

/** What only somebody with the hub's key can do. */
function signWith(home: string, text: string): string {
  const seed = readFileSync(join(home, 'identity.ed25519'), 'utf8').slice(0, 64);
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.from(seed, 'hex')]),
    format: 'der',
    type: 'pkcs8',
  });
  return `ed25519:${sign(null, Buffer.from(text), key).toString('hex')}`;
}

it('opens what it sealed, and nothing else', () => {
  const { home, own } = identity();
  const { text, signature } = own.seal(message);
  expect(own.open(text, signature)).toMatchObject({ task_id: 'r', body: { text: 'hello' } });
  expect(createIdentity(home, 3).open(text, signature)).toBeDefined();
  const wrong = [
    [text.replace('hello', 'jello'), signature],
    [text.replace('"hop_count":0', '"hop_count":1'), signature],
    [text, signature.replace(/.$/, (last) => (last === '0' ? '1' : '0'))],
    [text, signature.slice(0, -2)],
    [text, ''],
    [text, 'ed25519:zz'],
    [` ${text}`, signature],
    ['', signature],
  ] as const;
  for (const [changed, signed] of wrong) expect(own.open(changed, signed), changed + signed).toBeUndefined();
  expect(identity().own.open(text, signature)).toBeUndefined();
});

it('a signature over another form of the same facts, or over what is no envelope, is worth nothing', () => {
  const { home, own } = identity();
  const { text } = own.seal(message);
  const facts = JSON.parse(text) as Record<string, unknown>;
  const { v, ...rest } = facts;
  for (const other of [
    JSON.stringify({ v, ...rest }),
    JSON.stringify(facts, null, 1),
    JSON.stringify({ ...facts, v: 'biam-v2' }),
  ])
    expect(own.open(other, signWith(home, other)), other).toBeUndefined();
  expect(own.open(text, signWith(home, text))).toBeDefined();
});

it('one that came further than it may is none', () => {
  const { own } = identity();
  const sealed = (hops: number) => own.seal({ ...message, hops });
  const [three, four] = [sealed(3), sealed(4)];
  expect(own.open(three.text, three.signature)).toMatchObject({ hop_count: 3, max_hops: 3 });
  expect(own.open(four.text, four.signature)).toBeUndefined();
});

it('what is sent because of another lives no longer than that, and tells where it came through', () => {
  const { own } = identity();
  const first = own.seal(message);
  const above = own.open(first.text, first.signature)!;
  const hour = 3_600_000;
  const next = own.seal({ ...message, runId: 's', from: 'bob', to: 'eve', hops: 1, above, at: 5 * hour });
  const opened = own.open(next.text, next.signature)!;
  expect(opened).toMatchObject({ parent_id: first.id, correlation_id: 'r', ttl_seconds: 19 * 3600 });
  expect(opened.trace.map((step) => step.split('/')[1])).toEqual(['ada', 'bob']);
  expect(expiryOf(opened)).toBe(expiryOf(above));
  const late = own.seal({ ...message, above, at: 30 * hour });
  expect(own.open(late.text, late.signature)).toMatchObject({ ttl_seconds: 0 });
});
