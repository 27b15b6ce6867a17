import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { post } from '../../src/features/notices/post.ts';
import { startNotices, type NoticeParts } from '../../src/features/notices/notices.ts';
import { readNoticeSettings } from '../../src/features/notices/settings.ts';
import { createLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Letter = { path: string; headers: IncomingHttpHeaders; body: string };

/** A receiver on loopback that answers as it is told. */
async function openReceiver(
  answer: (letter: Letter, count: number) => { status: number; headers?: Record<string, string> } | 'never',
) {
  const letters: Letter[] = [];
  const server = createServer(async (request, response) => {
    const letter = { path: request.url!, headers: request.headers, body: await text(request) };
    letters.push(letter);
    const said = answer(letter, letters.length);
    if (said !== 'never') response.writeHead(said.status, said.headers).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { letters, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const ok = () => ({ status: 204 });

async function listen(settings: object, more: Partial<NoticeParts> = {}) {
  const db = await freshDatabase('sqlite');
  const lines: string[] = [];
  let rings = 0;
  const log = createLog('info', (line) => void lines.push(line));
  const ring = () => void (rings += 1);
  const running = startNotices(db.feed, {
    settings: readNoticeSettings(settings),
    log,
    ring,
    pausesMs: [10],
    ...more,
  });
  onTestFinished(() => running.stop());
  await db.feed.head();
  return { db, lines, rings: () => rings };
}

let count = 0;
const happens = (db: Database, kind: string, data: Record<string, string | number>, team?: string) =>
  db.write(systemActor, async (tx) =>
    tx.emit({
      kind,
      subject: `task-${String((count += 1)).padStart(8, '0')}`,
      realm: 'hub',
      ...(team !== undefined && { team }),
      data,
    }),
  );

it('reaches ntfy, Slack and a webhook, each in its own words, the last one signed', async () => {
  const { letters, url } = await openReceiver(ok);
  const secret = 'a secret of sixteen letters';
  const { db, lines, rings } = await listen({
    to: {
      phone: { ntfy: `${url}/topic`, private: true },
      team: { slack: `${url}/hook`, private: true },
      ci: { webhook: `${url}/ci`, secret, private: true },
    },
  });
  await happens(db, 'approval.requested', { tool: 'Bash' }, 'red');
  await expect.poll(() => letters.length).toBe(3);
  const [phone, team, ci] = ['/topic', '/hook', '/ci'].map((path) =>
    letters.find((letter) => letter.path === path)!,
  );
  expect(phone).toMatchObject({
    headers: { priority: 'high', tags: 'approval' },
    body: expect.stringMatching(/^Bash waits/),
  });
  expect(JSON.parse(team!.body)).toEqual({
    text: expect.stringMatching(/^Holdfast: Bash waits for your decision/),
  });
  expect(JSON.parse(ci!.body)).toMatchObject({ kind: 'approval', team: 'red', seq: expect.any(Number) });
  const stamp = ci!.headers['x-holdfast-timestamp'];
  const digest = createHmac('sha256', secret)
    .update(`${String(stamp)}.${ci!.body}`)
    .digest('hex');
  expect(ci!.headers['x-holdfast-signature']).toBe(`sha256=${digest}`);
  expect([lines.join(''), rings()]).toEqual([expect.stringContaining('Bash waits for your decision'), 1]);
});

it('tells of a question, of a source in quarantine and of mail, and of nothing that is like them', async () => {
  const { letters, url } = await openReceiver(ok);
  const { db } = await listen({ terminal: false, to: { all: { webhook: url, private: true } } });
  await happens(db, 'run.changed', { reason: 'waiting_input' });
  await happens(db, 'run.changed', { reason: 'running' });
  await happens(db, 'source.listed', { changed: 2 });
  await happens(db, 'source.listed', { changed: 0 });
  await happens(db, 'peer.message_queued', { toAgent: 'user', fromAgent: 'ann' });
  await happens(db, 'peer.message_queued', { toAgent: 'bob', fromAgent: 'ann' });
  await expect.poll(() => letters.length).toBe(3);
  expect(letters.map(({ body }) => (JSON.parse(body) as { kind: string }).kind)).toEqual([
    'question',
    'source',
    'mail',
  ]);
});

it('a name is a name: no option, no markup, no mention, nothing that steers a terminal', async () => {
  const { letters, url } = await openReceiver(ok);
  const tools = join(freshFolder(), 'bin');
  mkdirSync(tools);
  writeFileSync(join(tools, 'notify-send'), `#!/bin/sh\nprintf '[%s]' "$@" >> ${tools}/said\n`);
  chmodSync(join(tools, 'notify-send'), 0o755);
  const { PATH } = process.env;
  process.env['PATH'] = `${tools}:${PATH}`;
  onTestFinished(() => void (process.env['PATH'] = PATH));
  const { db, lines } = await listen({ desktop: true, to: { team: { slack: url, private: true } } });
  const fromAgent = '-edo <!channel> <b>&\u001b[2J\n\u202e\u009b';
  await happens(db, 'peer.message_queued', { toAgent: 'user', fromAgent });
  await expect.poll(() => letters.length).toBe(1);
  const name = '-edo &lt;!channel&gt; &lt;b&gt;&amp;\ufffd[2J\ufffd\ufffd\ufffd';
  expect((JSON.parse(letters[0]!.body) as { text: string }).text).toBe(`Holdfast: ${name} wrote to you.`);
  await expect
    .poll(() => existsSync(join(tools, 'said')) && readFileSync(join(tools, 'said'), 'utf8'))
    .toBe(
      '[--app-name=holdfast][Holdfast][ -edo \u2039!channel\u203a \u2039b\u203a\uff06\ufffd[2J\ufffd\ufffd\ufffd wrote to you.]',
    );
  expect(lines.join('')).toMatch(/^[^\u001b\u202e\u009b]*\n$/);
});

it('goes only where it is wanted: by kind, by project, and not at night', async () => {
  const { letters, url } = await openReceiver(ok);
  const { db, rings } = await listen(
    {
      quiet: '22:00-07:00',
      to: {
        kinds: { webhook: `${url}/kinds`, private: true, always: true, kinds: ['done'] },
        projects: { webhook: `${url}/projects`, private: true, always: true, projects: ['red'] },
        sleeper: { webhook: `${url}/sleeper`, private: true },
      },
    },
    { now: () => new Date(2026, 0, 1, 23) },
  );
  await happens(db, 'task.status_changed', { to: 'blocked' }, 'red');
  await happens(db, 'task.status_changed', { to: 'done' }, 'blue');
  await expect.poll(() => letters.map(({ path }) => path).toSorted()).toEqual(['/kinds', '/projects']);
  expect(rings()).toBe(0);
});

it('tries again after a 500, follows no redirect, and says what did not arrive', async () => {
  const inner = await openReceiver(ok);
  const failing = await openReceiver((_letter, nth) => (nth === 1 ? { status: 500 } : { status: 200 }));
  const turning = await openReceiver(() => ({ status: 302, headers: { location: inner.url } }));
  const { db, lines } = await listen({
    to: {
      failing: { webhook: failing.url, private: true },
      turning: { webhook: turning.url, private: true },
      inward: { webhook: inner.url },
      name: { webhook: inner.url.replace('127.0.0.1', 'localhost') },
    },
  });
  await happens(db, 'task.status_changed', { to: 'done' });
  await expect.poll(() => lines.filter((line) => line.includes('did not reach')).length).toBe(3);
  expect(lines.join('')).toContain('did not reach turning: it redirects (302)');
  expect(lines.join('')).toContain('did not reach inward: its address is private');
  expect(lines.join('')).toContain('did not reach name: its address is private');
  expect([failing.letters.length, inner.letters.length]).toEqual([2, 0]);
});

it('a receiver that hangs keeps neither the others nor the end of the hub waiting', async () => {
  const hanging = await openReceiver(() => 'never');
  const prompt = await openReceiver(ok);
  const db = await freshDatabase('sqlite');
  const settings = readNoticeSettings({
    to: { hanging: { webhook: hanging.url, private: true }, prompt: { webhook: prompt.url, private: true } },
  });
  const running = startNotices(db.feed, { settings, log: createLog('silent'), ring: () => undefined });
  await db.feed.head();
  for (let i = 0; i < 3; i += 1) await happens(db, 'task.status_changed', { to: 'done' });
  await expect.poll(() => prompt.letters.length).toBe(3);
  expect(hanging.letters.length).toBe(1);
  const startedAt = Date.now();
  await running.stop();
  expect(Date.now() - startedAt).toBeLessThan(2_000);
});

it('a hub reads its settings, tells the desktop and the log, and shows in status what waits', async () => {
  const { letters, url } = await openReceiver(ok);
  const env = freshHome({ HOLDFAST_LOG: 'info' });
  const tools = join(freshFolder(), 'bin');
  mkdirSync(tools);
  writeFileSync(join(tools, 'notify-send'), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${tools}/said\n`);
  chmodSync(join(tools, 'notify-send'), 0o755);
  const config = { notices: { desktop: true, to: { phone: { ntfy: `${url}/topic`, private: true } } } };
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), JSON.stringify(config));
  await startHub({ ...env, PATH: `${tools}:${env['PATH']}` });
  const { run, json } = openTerminal(undefined, env);
  const { id } = await json<{ id: string }>('board', 'add', 'keel');
  await run('board', 'claim', id, '--as', 'ada');
  await run('board', 'done', id, '--as', 'ada');
  const words = `Task ${id.slice(-8)} is done, by ada.`;
  await expect.poll(() => letters.map(({ body }) => body), { timeout: 10_000 }).toEqual([words]);
  await expect.poll(() => readFileSync(join(tools, 'said'), 'utf8'), { timeout: 10_000 }).toContain(words);
  expect((await run('logs')).out).toContain(words);
  expect((await run('status')).out).toContain('  waiting   nothing for you');
});

it('a question that a running agent asks reaches a webhook, without its words, and the answer the agent', async () => {
  const { letters, url } = await openReceiver(ok);
  const secret = 'a secret of sixteen letters';
  const to = { ci: { webhook: `${url}/asked`, secret, private: true, kinds: ['question'] } };
  const hub = await dispatchHub('sqlite', {}, { notices: { terminal: false, to } });
  const id = await hub.start('ask Left or right?\nsay and so it went');
  await expect.poll(() => letters.length, PATIENCE).toBe(1);
  const [{ path, headers, body }] = letters as [Letter];
  expect(path).toBe('/asked');
  expect(JSON.parse(body)).toMatchObject({
    kind: 'question',
    subject: id,
    text: `Run ${id.slice(-8)} has a question and waits for the answer.`,
  });
  expect(body).not.toContain('Left');
  const signed = `${String(headers['x-holdfast-timestamp'])}.${body}`;
  expect(headers['x-holdfast-signature']).toBe(
    `sha256=${createHmac('sha256', secret).update(signed).digest('hex')}`,
  );
  await hub.tool('TaskReply', { task_id: id, body: 'left' });
  expect((await hub.over(id)).result).toBe('heard left\nand so it went');
  expect(letters).toHaveLength(1);
});

it('a bad setting stops the start with its name', async () => {
  const { env, run } = openTerminal();
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), JSON.stringify({ notices: { quiet: 'later' } }));
  expect(await run('up', '--port', '0')).toMatchObject({
    code: 2,
    err: expect.stringContaining('notices.quiet in config.yaml'),
  });
});

it('says of a receiver that hangs that it did not answer', async () => {
  const { url } = await openReceiver(() => 'never');
  const letter = { url, body: '{}', headers: {}, isPrivate: true };
  await expect(post(letter, new AbortController().signal)).rejects.toThrow(
    'it did not answer within 5 seconds',
  );
});

it('tells of a refused call once, however often it is tried, and of each run that failed or was lost', async () => {
  const { db, lines } = await listen({});
  const refused = { agentId: 'bob', tool: 'Bash', reason: 'security:install:pipe-to-shell' };
  for (let i = 0; i < 4; i += 1) await happens(db, 'tool.refused', refused);
  await happens(db, 'tool.refused', { ...refused, tool: 'WebFetch' });
  await happens(db, 'run.ended', { state: 'failed', agent: 'codex-1' });
  await happens(db, 'run.ended', { state: 'expired', agent: 'codex-2' });
  await expect.poll(() => lines.join('')).toContain('of codex-2 was lost');
  const said = lines.join('');
  expect(said.match(/bob was kept from using Bash/g)).toHaveLength(1);
  expect(said).toContain('bob was kept from using WebFetch');
  expect(said).toMatch(/Run \d{8} of codex-1 failed/);
});
