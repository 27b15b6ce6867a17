import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshHome, startHub, tokenIn } from '../fixtures/hub-process.ts';
import { restAt } from '../fixtures/rest-client.ts';

const TEXT = `# how long a claim lasts
lease: 20m # as agreed
agents:
  # cheap and quick
  cheap:
    family: command
    command: [echo, "{prompt}"]
    env: { API_KEY: swordfish-of-mine }
`;

async function openHub(text = TEXT) {
  const env = freshHome();
  const path = join(env['HOLDFAST_HOME']!, 'config.yaml');
  writeFileSync(path, text);
  const { address } = await startHub(env);
  return { path, rest: restAt(address, tokenIn(env)), stranger: restAt(address) };
}

describe('config.yaml from the page', () => {
  it('is changed as it was shown, with its comments, and shows no secret', async () => {
    const { path, rest } = await openHub();
    const changes = [
      { path: ['lease'], value: '45m' },
      { path: ['agents', 'cheap', 'model'], value: 'small' },
      { path: ['agents', 'cheap', 'env', 'OTHER'], value: 'plain-looking-secret' },
    ];
    const shown = await rest('POST', '/api/config/preview', { changes });
    expect(shown.after).toContain('lease: 45m # as agreed');
    expect(shown.after).toContain('model: small');
    expect(JSON.stringify(shown)).not.toMatch(/swordfish|plain-looking/);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    await rest('PUT', '/api/config', { changes, version: shown.version });
    const after = readFileSync(path, 'utf8');
    for (const kept of ['# how long a claim lasts', '# cheap and quick', 'swordfish-of-mine', 'lease: 45m'])
      expect(after).toContain(kept);
    await expect
      .poll(async () => (await rest('GET', '/api/config/agents')).agents, { timeout: 15_000 })
      .toMatchObject([{ name: 'cheap', model: 'small', env: ['API_KEY', 'OTHER'] }]);
    await rest('PUT', '/api/config', { changes, version: shown.version }).then(
      (answer: { code?: string }) => expect(answer.code).toBe('conflict'),
      (error: Error) => expect(error.message).toMatch(/changed since you looked/),
    );
  });

  it('refuses what no hub could start with, what is no setting, and whoever has not signed in', async () => {
    const { path, rest, stranger } = await openHub();
    const answers = async (ask: typeof rest, change: object) =>
      JSON.stringify(await ask('POST', '/api/config/preview', { changes: [change] }).catch(String));
    expect(await answers(rest, { path: ['lease'], value: 'soon' })).toMatch(/lease/);
    expect(await answers(rest, { path: ['agents', 'x', 'family'], value: 'parrot' })).toMatch(/family/);
    expect(await answers(rest, { path: ['sources', 'x'], value: 'y' })).toMatch(/no setting and no agent/);
    expect(await answers(stranger, { path: ['lease'], value: '1h' })).toMatch(/nauthorized|token|sign/i);
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
  });
});
