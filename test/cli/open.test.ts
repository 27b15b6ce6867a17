import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

/** A hub, and a browser that writes down what it is to open. */
async function withBrowser(more: NodeJS.ProcessEnv = {}) {
  const folder = freshFolder();
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > ${opened}\n`, { mode: 0o755 });
  const env = freshHome({ BROWSER: browser, SSH_CONNECTION: '', ...more });
  const terminal = openTerminal(100, env);
  const hub = terminal.start('up', '--port', '0', '--log', 'silent');
  onTestFinished(() => hub.interrupt().then(() => undefined));
  await vi.waitUntil(() => hub.lines.length > 0, 30_000);
  return { ...terminal, opened, env };
}

it('opens the page in the browser; --print and a pipe get the link', { timeout: 60_000 }, async () => {
  const { run, opened, env } = await withBrowser();
  expect(await run('open')).toMatchObject({ code: 0, out: '', err: expect.stringMatching(/^Opened http/) });
  await vi.waitUntil(() => existsSync(opened) && readFileSync(opened, 'utf8') !== '', 5_000);
  const link = readFileSync(opened, 'utf8');
  expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/signin/);
  expect((await fetch(link, { redirect: 'manual' })).headers.get('set-cookie')).toContain('HttpOnly');
  writeFileSync(opened, '');
  expect((await run('open', '--print')).out).toMatch(/\/signin/);
  expect((await openTerminal(undefined, env).run('open')).out).toMatch(/\/signin/);
  expect(readFileSync(opened, 'utf8')).toBe('');
});

it('prints the link where no browser is: over ssh', { timeout: 60_000 }, async () => {
  const { run, opened } = await withBrowser({ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' });
  expect((await run('open')).out).toMatch(/\/signin/);
  expect(existsSync(opened)).toBe(false);
});
