import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startOauthSource } from '../fixtures/oauth-source.ts';
import { openSourcesHub } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;

it(
  'a source that wants a login says so, is logged in to in the browser, and its login is renewed by one call for all',
  { timeout: 60_000 },
  async () => {
    const source = await startOauthSource();
    const hub = await openSourcesHub({ vault: { url: source.url, trust: 'all' } });
    await expect.poll(async () => (await hub.state('vault')).reason, { timeout: 10_000 }).toContain('login');

    const { page } = await hub.rest('POST', '/api/sources/vault/login');
    expect(page).toContain('/authorize?');
    // The browser of a person: it follows the redirect back to the hub.
    expect((await fetch(page)).status).toBe(200);
    await hub.ready('vault');
    expect(text(await hub.call('vault__secret'))).toBe('the secret');

    source.expireAll();
    const answers = await Promise.all(Array.from({ length: 10 }, () => hub.call('vault__secret')));
    expect(answers.map(text)).toEqual(Array.from({ length: 10 }, () => 'the secret'));
    expect({ refreshes: source.refreshes(), reused: source.reused() }).toEqual({ refreshes: 1, reused: 0 });

    const folder = join(hub.home, 'sources');
    const [file] = readdirSync(folder);
    expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(await hub.rest('GET', '/api/sources/vault'))).not.toContain('access_token');
    await hub.rest('DELETE', '/api/sources/vault');
    expect(readdirSync(folder)).toEqual([]);
  },
);
