import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshDatabase } from '../../test/fixtures/databases.ts';
import type { NewEvent } from '../kernel/event.ts';
import { silentLog } from '../kernel/log.ts';
import { type Binding, localPrincipal, systemActor } from '../kernel/principal.ts';
import type { Database } from '../store/database.ts';
import { createHttpApp } from './app.ts';
import { eventsRoute } from './events.ts';
import { createStreams, type StreamOptions } from './sse.ts';

type Heard = { id?: string; event?: string; data: Record<string, unknown> };

async function start(options: Partial<StreamOptions> & { bound?: Binding } = {}) {
  const db = await freshDatabase('sqlite');
  const streams = createStreams({ log: silentLog, ...options });
  const app = createHttpApp({
    routes: [eventsRoute(db.feed)],
    authenticate: () => localPrincipal('', options.bound),
    log: silentLog,
    streams,
  });
  const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
  onTestFinished(() => app.close());
  return { db, app, streams, url: `${address}/api/events` };
}

const emit = (db: Database, ...events: Partial<NewEvent>[]) =>
  db.write(systemActor, async (tx) =>
    events.forEach((event) => tx.emit({ kind: 'task.created', subject: 't', realm: 'hub', ...event })),
  );

/** Reads a stream as it comes; `heard` grows while the test goes on. */
async function listen(url: string, headers: Record<string, string> = {}) {
  const hangUp = new AbortController();
  const response = await fetch(url, { headers, signal: hangUp.signal });
  const heard: Heard[] = [];
  const raw = { text: '', read: 0 };
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      raw.text += decoder.decode(chunk as Uint8Array, { stream: true });
      const frames = raw.text.slice(raw.read).split('\n\n');
      raw.read = raw.text.length - frames.pop()!.length;
      heard.push(...frames.filter((frame) => frame.includes('data: ')).map(parseFrame));
    }
  })().catch(() => undefined);
  onTestFinished(() => hangUp.abort());
  return { response, heard, raw, ended, hangUp };
}

function parseFrame(frame: string): Heard {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
  return {
    id: field('id'),
    event: field('event'),
    data: JSON.parse(field('data')!) as Record<string, unknown>,
  };
}

describe('/api/events', () => {
  it('tells what happens from now on, with the sequence number as id', async () => {
    const { db, url } = await start();
    await emit(db, { subject: 'before' });
    const { response, heard } = await listen(url);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await emit(db, { subject: 'after', data: { priority: 3 } });
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]).toMatchObject({
      id: '2',
      data: { seq: 2, kind: 'task.created', subject: 'after', data: { priority: 3 } },
    });
  });

  it.each([
    ['?since=1', {}],
    ['', { 'last-event-id': '1' }],
    ['?since=3', { 'last-event-id': '1' }],
  ])('resumes after the cursor: %s %j', async (query, headers) => {
    const { db, url } = await start();
    await emit(db, { subject: 'a' }, { subject: 'b' }, { subject: 'c' });
    const { heard } = await listen(`${url}${query}`, headers);
    await expect.poll(() => heard.map(({ data }) => data['subject'])).toEqual(['b', 'c']);
  });

  it('filters by kind and by the beginning of a kind', async () => {
    const { db, url } = await start();
    await emit(
      db,
      { kind: 'task.created' },
      { kind: 'task.claimed' },
      { kind: 'chat.posted' },
      { kind: 'taskforce.made' },
    );
    const { heard } = await listen(`${url}?since=0&kinds=task.*,chat.posted`);
    await expect
      .poll(() => heard.map(({ data }) => data['kind']))
      .toEqual(['task.created', 'task.claimed', 'chat.posted']);
  });

  it('shows a bound caller its own team only', async () => {
    const { db, url } = await start({ bound: { team: 'red' } });
    await emit(
      db,
      { team: 'blue', subject: 'hidden' },
      { subject: 'hidden' },
      { team: 'red', subject: 'seen' },
    );
    const { heard } = await listen(`${url}?since=0`);
    await expect.poll(() => heard.length).toBeGreaterThan(0);
    expect(heard.map(({ data }) => data['subject'])).toEqual(['seen']);
  });

  it('marks a cursor from another history as a gap and goes on', async () => {
    const { db, url } = await start();
    await emit(db, { subject: 'a' });
    const { heard } = await listen(`${url}?since=900`);
    await expect.poll(() => heard).toHaveLength(1);
    expect(heard[0]).toEqual({ id: '1', event: 'gap', data: { gapBefore: 2 } });
    await emit(db, { subject: 'b' });
    await expect.poll(() => heard.at(-1)?.data['subject']).toBe('b');
  });

  it.each([
    ['?since=-1', {}, 'since must be a whole number'],
    ['?since=abc', {}, 'since must be a whole number'],
    ['?kinds=', {}, 'kinds'],
    ['?sinse=1', {}, 'known: since, kinds'],
    ['', { 'last-event-id': 'abc' }, 'Last-Event-ID must be the id of an event'],
  ])('refuses %s %j', async (query, headers, message) => {
    const { url } = await start();
    const response = await fetch(`${url}${query}`, { headers });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid', error: expect.stringContaining(message) });
  });
});

describe('a stream', () => {
  it('is kept alive by comments', async () => {
    const { url } = await start({ keepAliveMs: 20 });
    const { raw } = await listen(url);
    await expect.poll(() => raw.text).toContain(': still here\n\n');
  });

  it('is forgotten when its reader leaves', async () => {
    const { url, streams } = await start();
    const { hangUp } = await listen(url);
    expect(streams.size).toBe(1);
    hangUp.abort();
    await expect.poll(() => streams.size).toBe(0);
  });

  it('ends with a reason when the hub closes', async () => {
    const { url, app } = await start();
    const { heard, ended } = await listen(url);
    await app.close();
    await ended;
    expect(heard.at(-1)).toMatchObject({ event: 'end', data: { reason: 'shutdown' } });
  });

  it('is refused beyond the cap, and admitted again when one leaves', async () => {
    const { url, streams } = await start({ maxStreams: 1 });
    const first = await listen(url);
    const refused = await fetch(url);
    expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ code: 'busy' })]);
    first.hangUp.abort();
    await expect.poll(() => streams.size).toBe(0);
    expect((await listen(url)).response.status).toBe(200);
  });

  it('whose reader never reads is dropped with a reason, and others are served meanwhile', async () => {
    const { db, url, streams } = await start({ patienceMs: 1_000 });
    const stuck = await stuckReader(url);
    await expect.poll(() => streams.size).toBe(1);
    const { heard } = await listen(url);
    const page = Array.from({ length: 100 }, () => ({ subject: 'x'.repeat(200) }));
    let written = 0;
    while (streams.size === 2 && written < 100_000) {
      await emit(db, ...page);
      written += page.length;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect((await drain(stuck)).slice(-60)).toMatch(/event: end\ndata: \{"reason":"slow reader"\}\n\n$/);
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(written);
    expect(streams.size).toBe(1);
  });
});

describe('a long history', () => {
  it('is replayed whole to a reader that reads, without piling up in memory', async () => {
    const { db, url } = await start({ maxBufferedBytes: 600_000 });
    const total = 12_000;
    const page = Array.from({ length: 500 }, () => ({ subject: 'x'.repeat(200) }));
    for (let written = 0; written < total; written += page.length) await emit(db, ...page);
    const { heard } = await listen(`${url}?since=0`);
    await expect.poll(() => heard.length, { timeout: 20_000 }).toBe(total);
    expect(heard.map(({ id }) => Number(id))).toEqual(Array.from({ length: total }, (_, i) => i + 1));
  });
});

function stuckReader(url: string): Promise<Socket> {
  const { hostname, port, host, pathname } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => {
      socket.pause();
      socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
      resolve(socket);
    });
  });
}

function drain(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString())).on('close', () => resolve(text));
    socket.resume();
  });
}
