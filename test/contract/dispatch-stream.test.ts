import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { AGENT, dispatchHub, type DispatchHub, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';

eachEngine('GET /v1/biam/subscribe', (engine) => {
  it('replays everything from 1, then goes on live, and ends with terminal', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('say one\nsleep 300\nsay two');
    const { events, ended, headers, text } = await hub.subscribe(id);
    await ended;
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
      connection: 'keep-alive',
    });
    expect(text()).toMatch(/^retry: \d+\n\n/);
    expect(events.map((each) => Number(each.id))).toEqual(events.map((_, i) => i + 1));
    expect(events[0]).toMatchObject({ event: 'task', data: { task_id: id, status: 'pending' } });
    const frames = events.filter(({ event }) => event === 'frame');
    expect(frames.map(({ data }) => data)).toEqual([
      { task_id: id, line: 'one', kind: 'stdout', ts: expect.any(String), type: 'text' },
      { task_id: id, line: 'two', kind: 'stdout', ts: expect.any(String), type: 'text' },
    ]);
    expect(events.at(-1)).toMatchObject({ event: 'terminal', data: { task_id: id, status: 'done' } });
    expect(events.filter(({ event }) => event === 'terminal')).toHaveLength(1);
    expect(events[1]!.raw).toMatch(/^id: 2\nevent: task\ndata: \{[^\n]*\}$/);
  });

  it('resumes after Last-Event-ID; garbage counts as 0', async () => {
    const hub = await dispatchHub(engine);
    const { task_id: id } = await hub.run('say one\nsay two');
    const replay = async (lastEventId?: string) => {
      const { events, ended } = await hub.subscribe(
        id,
        lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      );
      await ended;
      return events.map((each) => Number(each.id));
    };
    const all = await replay();
    expect(await replay('2')).toEqual(all.slice(2));
    expect(await replay(' 3 ')).toEqual(all.slice(3));
    // The documented id has 64 bits: one more is no number any more.
    expect(await replay('18446744073709551615')).toEqual([]);
    for (const garbage of ['x', '-1', '1.5', '0', '', '18446744073709551616'])
      expect(await replay(garbage), garbage).toEqual(all);
    expect(await replay(String(all.length))).toEqual([]);
    expect(await replay('100000')).toEqual([]);
  });

  it('refuses an unknown run and a missing parameter', async () => {
    const hub = await dispatchHub(engine);
    expect(await hub.ask('GET', '/v1/biam/subscribe?task_id=nope')).toMatchObject({ status: 404 });
    expect(await hub.ask('GET', '/v1/biam/subscribe')).toMatchObject({ status: 400 });
    expect(await hub.ask('GET', '/v1/biam/subscribe?task_id=')).toMatchObject({ status: 400 });
    expect(await hub.ask('POST', '/v1/biam/subscribe?task_id=x', {})).toMatchObject({ status: 405 });
    expect((await hub.fetch('/v1/biam/subscribe?task_id=x')).status).toBe(401);
  });

  it('replays a run that ended before a restart, and closes', async () => {
    const hub = await dispatchHub(engine);
    const { task_id: id } = await hub.run('say before');
    const first = await hub.subscribe(id);
    await first.ended;
    await hub.hub.close();
    const again = await openAt(hub.place, hub.home);
    const { events, ended } = await again.subscribe(id);
    await ended;
    expect(events.map(({ raw }) => raw)).toEqual(first.events.map(({ raw }) => raw));
  });

  it('ends when the hub stops, and the rest is there afterwards: the run is expired, the stream complete', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('say ready\nforever');
    const stream = await hub.subscribe(id);
    await expect.poll(() => stream.events.length, PATIENCE).toBeGreaterThan(3);
    await hub.hub.close();
    await stream.ended;
    const again = await openAt(hub.place, hub.home);
    const rest = await again.subscribe(id, { 'last-event-id': stream.events.at(-1)!.id! });
    await rest.ended;
    expect(rest.events.at(-1)).toMatchObject({ event: 'terminal', data: { status: 'expired' } });
    expect(Number(rest.events[0]!.id)).toBe(Number(stream.events.at(-1)!.id) + 1);
  });

  it('tells of a gap without an id when the oldest events are gone', async () => {
    const command = [process.execPath, AGENT, '{prompt}'];
    const hub = await dispatchHub(engine, {
      chatty: { family: 'command', command, limits: { frames: 100 } },
    });
    const many = Array.from({ length: 60 }, (_, i) =>
      Array.from({ length: 10 }, (_, k) => `say ${i * 10 + k}`).join('\n'),
    ).join('\nsleep 5\n');
    const { task_id: id } = await hub.run(many, 'chatty');
    const { events, ended } = await hub.subscribe(id, { 'last-event-id': '3' });
    await ended;
    const [gap, next] = events;
    expect(gap).toMatchObject({ id: undefined, event: 'gap', data: { task_id: id, since_id: 3 } });
    expect(gap!.data.next_id).toBe(Number(next!.id));
    expect(events.slice(1).map((each) => Number(each.id))).toEqual(
      events.slice(1).map((_, i) => Number(next!.id) + i),
    );
    expect(events.findLast(({ event }) => event === 'frame')!.data.line).toBe('599');
    expect(events.at(-1)!.event).toBe('terminal');
  });

  it('misses nothing while frames arrive, for many readers at once', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start(Array.from({ length: 150 }, (_, i) => `say ${i}\nsleep 2`).join('\n'));
    const readers = [];
    for (let i = 0; i < 25; i += 1) {
      readers.push(await hub.subscribe(id, i % 2 === 0 ? {} : { 'last-event-id': String(i) }));
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    await Promise.all(readers.map(({ ended }) => ended));
    for (const [i, { events }] of readers.entries()) {
      const ids = events.map((each) => Number(each.id));
      const first = i % 2 === 0 ? 1 : Math.min(i + 1, ids[0]!);
      expect(ids).toEqual(Array.from({ length: ids.length }, (_, k) => first + k));
      expect(events.at(-1)!.event).toBe('terminal');
    }
  });

  it('serves a thousand readers, one of them stuck', { timeout: 120_000 }, async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start(`sleep 4000\n${Array.from({ length: 20 }, (_, i) => `say ${i}`).join('\n')}`);
    const stuck = openStuck(hub, id);
    const readers: { text(): string; ended: Promise<void> }[] = [];
    for (let i = 0; i < 20; i += 1)
      readers.push(...(await Promise.all(Array.from({ length: 50 }, () => hub.subscribe(id)))));
    await Promise.all(readers.map(({ ended }) => ended));
    const [first] = readers;
    expect(first!.text()).toContain('event: terminal');
    const frames = (text: string) => text.match(/^event: frame$/gm)?.length;
    expect(new Set(readers.map(({ text }) => frames(text())))).toEqual(new Set([20]));
    expect(stuck.destroyed).toBe(false);
    expect(await hub.over(id)).toMatchObject({ status: 'done' });
  });

  it('lets a reader that never reads wait alone', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('sleep 300\nflood 4000000\nsay done');
    openStuck(hub, id);
    const reader = await hub.subscribe(id);
    await reader.ended;
    expect(reader.events.at(-1)).toMatchObject({ event: 'terminal', data: { status: 'done' } });
  });
});

/** Asks for a stream and never reads a byte of it. */
function openStuck(hub: DispatchHub, id: string): Socket {
  const { port } = new URL(hub.address);
  const stuck = connect(Number(port), '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void stuck.destroy());
  stuck.pause();
  stuck.write(
    `GET /v1/biam/subscribe?task_id=${id} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${hub.token}\r\n\r\n`,
  );
  return stuck;
}
