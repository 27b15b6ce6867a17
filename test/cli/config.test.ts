import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { freshHome } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

function inHome(env = freshHome()) {
  const terminal = openTerminal(100, env);
  const file = join(env['HOLDFAST_HOME']!, 'config.yaml');
  return { ...terminal, file, text: () => readFileSync(file, 'utf8') };
}

async function withHub() {
  const terminal = inHome();
  const hub = terminal.start('up', '--port', '0', '--log', 'silent');
  onTestFinished(() => hub.interrupt().then(() => undefined));
  await vi.waitUntil(() => hub.lines.length > 0, 30_000);
  return terminal;
}

it('shows what is set and where that was said', async () => {
  const { run, file } = inHome(freshHome({ HOLDFAST_LEASE: '2h' }));
  writeFileSync(file, 'limits:\n  depth: 5\n');
  const { out, err } = await run('config');
  expect(out).toMatch(/^lease +2h +HOLDFAST_LEASE$/m);
  expect(out).toMatch(/^limits\.depth +5 +config\.yaml$/m);
  expect(err).toContain('--all shows them');
  expect((await run('config', 'show', '--all')).out).toMatch(/^approvals\.wait +2m +default$/m);
  expect((await run('config', 'get', 'lease')).out).toBe('2h');
});

it('sets what a hub would take, keeps comments, and refuses everything else', async () => {
  const { run, file, text } = inHome();
  writeFileSync(file, '# ours\nsandbox: auto # careful\n');
  expect(await run('config', 'set', 'lease', '1h')).toMatchObject({
    code: 0,
    out: 'lease is 1h (was 30m, default)',
  });
  expect(await run('config', 'set', 'agents.cheap.family', 'claude')).toMatchObject({ code: 0 });
  const good = text();
  expect(good).toContain('# ours\nsandbox: auto # careful\nlease: 1h');
  for (const [key, value, why] of [
    ['leese', '1h', 'Did you mean lease?'],
    ['lease', '1x', 'lease must be a duration'],
    ['agents.cheap.mode', 'wild', 'must be one of safe, edit, full'],
    ['notices.volume', '11', 'notices in config.yaml'],
    ['sources.x.trust', 'blind', 'sources.x'],
  ])
    expect(await run('config', 'set', key!, value!), key).toMatchObject({
      err: expect.stringContaining(why!),
    });
  expect(text()).toBe(good);
  expect(await run('config', 'unset', 'lease')).toMatchObject({ code: 0 });
  expect(text()).not.toContain('lease');
  expect((await run('config', 'check')).out).toContain('is fine: 1 setting, 1 agent.');
});

it('puts nothing in place that was edited into nonsense, and loses no text', async () => {
  const env = freshHome();
  const { run, file, text } = inHome({ ...env, EDITOR: "printf 'prot: 1\\n' >" });
  const { code, err } = await run('config', 'edit');
  expect(code).toBe(2);
  expect(err).toContain('Did you mean port?');
  expect(readFileSync(`${file}.draft`, 'utf8')).toBe('prot: 1\n');
  expect(text()).toBe('');
  const mended = inHome({ ...env, EDITOR: 'sed -i s/prot/port/' });
  expect(await mended.run('config', 'edit')).toMatchObject({ code: 0 });
  expect(text()).toBe('port: 1\n');
});

it('says what waits for a restart; agents and notices do not', { timeout: 60_000 }, async () => {
  const { run } = await withHub();
  const set = await run('config', 'set', 'lease', '1h');
  expect(set.err).toContain('holdfast restart');
  await run('config', 'set', 'agents.cheap.family', 'claude');
  await vi.waitFor(async () => expect((await run('agents')).out).toMatch(/^cheap +claude/m), 10_000);
  expect((await run('config')).err).toContain(
    'lease: the hub started with 30m, config.yaml says 1h; holdfast restart',
  );
  expect((await run()).out).toContain('lease: new since the hub started; holdfast restart');
  await run('config', 'unset', 'lease');
  await vi.waitFor(async () => expect((await run()).out).not.toContain('new since'), 10_000);
});

it('tests notices: each receiver, and why one is not reached', { timeout: 60_000 }, async () => {
  const { run } = await withHub();
  expect((await run('notices', 'test')).err).toContain('the terminal of the hub alone');
  const got: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => got.push(chunk.toString()));
    request.on('end', () => response.end());
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void receiver.close());
  await vi.waitUntil(() => receiver.listening);
  const { port } = receiver.address() as { port: number };
  await run('config', 'set', 'notices.to.phone', `{ ntfy: "http://127.0.0.1:${port}/x", private: true }`);
  await run('config', 'set', 'notices.to.closed', '{ webhook: "http://127.0.0.1:1/x" }');
  const tested = await vi.waitFor(async () => {
    const answer = await run('notices', 'test');
    expect(answer.out).toContain('closed');
    return answer;
  }, 10_000);
  expect(tested.code).toBe(6);
  expect(tested.out).toContain('phone: it arrived');
  expect(tested.out).toContain('closed: its address is private');
  expect(got.join('')).toContain('This is a test');
  expect(await run('notices', 'test', 'phone')).toMatchObject({ code: 0 });
  expect((await run('notices', 'test', 'fax')).err).toContain('No receiver of notices is called fax');
});
