import { expect, it } from 'vitest';
import { CappedOutput, FollowedOutput } from './output.ts';

const key = `ghp_${'a1B2c3D4e5'.repeat(4)}`;

it('output that is followed shows no part of a secret, wherever a cursor cuts it or a chunk ends', () => {
  for (let at = 1; at < key.length; at += 1) {
    const output = new FollowedOutput();
    for (const part of [`key ${key.slice(0, at)}`, `${key.slice(at)} end`]) output.add(Buffer.from(part));
    output.finish();
    for (let cursor = 0; cursor < 20; cursor += 1)
      expect(output.after(cursor, 100).text).not.toMatch(/a1B2|c3D4|e5a1/);
    expect(output.after(0, 100).text).toBe('key [REDACTED] end');
  }
});

it('output that is too long shows no half of a secret at either of its ends', () => {
  for (let before = 60; before < 140; before += 7) {
    const output = new CappedOutput(100);
    output.add(
      Buffer.from(`${'x '.repeat(before / 2)}${key} ${'y '.repeat(40_000)}${key}${' z'.repeat(before / 2)}`),
    );
    expect(output.isCut).toBe(true);
    expect(output.text()).not.toMatch(/a1B2|c3D4|e5a1/);
  }
});
