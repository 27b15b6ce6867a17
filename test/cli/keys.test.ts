import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openTerminal } from '../fixtures/terminal.ts';

it('keys rotate exchanges the signing key, for its owner alone', async () => {
  const { run, env } = openTerminal();
  const file = join(env['HOLDFAST_HOME']!, 'signing.key');
  expect((await run('status')).code).toBe(3);
  await run('token', 'list');
  const before = readFileSync(file, 'utf8');
  const { code, out } = await run('keys', 'rotate');
  expect([code, out]).toEqual([0, expect.stringContaining('The signing key is new.')]);
  expect(readFileSync(file, 'utf8')).not.toBe(before);
  expect(readFileSync(file, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
});

it('keys revoke says what is not signed', async () => {
  const { run } = openTerminal();
  expect(await run('keys', 'revoke', 'http://127.0.0.1:1/api/mcp/tasks?scopeTeamId=red')).toMatchObject({
    code: 2,
    err: expect.stringContaining('not signed'),
  });
});
