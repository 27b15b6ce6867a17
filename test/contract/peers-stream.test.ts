import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { createStreams, type Streams } from '../../src/http/sse.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshPlace, type Place } from '../fixtures/databases.ts';
import { createActing } from '../../src/store/calls.ts';

type Told = Readonly<{ id: number; data: any }>;
const PATIENCE = { timeout: 20_000, interval: 20 };

eachEngine('the inbox stream', (engine) => {
  /** A clock that runs, and can be set on. */
  const runningClock = () => {
    let ahead = 0;
    return {
      now: () => Date.now() + ahead,
      elapsed: () => performance.now() + ahead,
      advance: (ms: number) => void (ahead += ms),
    };
  };

  async function serve(place: Place, clock = runningClock(), streams = createStreams({ log: silentLog })) {
    const db = await place.open({ clock });
    const peers = createPeers(db);
    const routes = peersRoutes(createActing(db), peers);
    const app = createHttpApp({ routes, streams, authenticate: () => localPrincipal(''), log: silentLog });
    onTestFinished(() => app.close());
    const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${address}${path}`, {
        method,
        ...(body !== undefined && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
      return (await response.json()) as any;
    };
    return { address, app, call };
  }

  async function open(clock = runningClock(), streams?: Streams) {
    const place = await freshPlace(engine);
    const hub = await serve(place, clock, streams);
    const register = () => hub.call('POST', '/v1/peers/register', { display_name: 'bob', backend: 'codex' });
    const bob = await register();
    const send = (text: string, to: string = bob.peer_id) =>
      hub.call('POST', `/v1/peers/${to}/messages`, { text });
    const receipt = (id: string) => hub.call('GET', `/v1/peers/messages/${id}`);
    return {
      ...hub,
      clock,
      place,
      bob,
      register,
      send,
      receipt,
      inbox: `${hub.address}/v1/peers/${bob.peer_id}/inbox`,
    };
  }

  /** Follows a stream until it hangs up; what came is in `told`. */
  async function follow(url: string, headers: Record<string, string> = {}) {
    const request = get(url, { headers });
    const hangUp = () => void request.destroy();
    onTestFinished(hangUp);
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      request.once('response', resolve).once('error', reject),
    );
    expect(response.headers['content-type']).toMatch(/^text\/event-stream/);
    const told: Told[] = [];
    let waiting = '';
    response.setEncoding('utf8').on('error', hangUp);
    response.on('data', (chunk: string) => {
      const frames = (waiting + chunk).split('\n\n');
      waiting = frames.pop()!;
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
        if (field('event') === 'message')
          told.push({ id: Number(field('id')), data: JSON.parse(field('data')!) });
      }
    });
    return { told, hangUp, texts: () => told.map(({ data }) => data.text as string) };
  }

  it('sends what waits and what comes, with the seq as its id, and writes delivered', async () => {
    const { inbox, send, receipt } = await open();
    const first = await send('one');
    const { told, texts } = await follow(inbox);
    await expect.poll(texts, PATIENCE).toEqual(['one']);
    await send('two');
    await expect.poll(texts, PATIENCE).toEqual(['one', 'two']);
    expect(told.map(({ id, data }) => [id, data.state])).toEqual([
      [1, 'delivered'],
      [2, 'delivered'],
    ]);
    expect((await receipt(first.id)).state).toBe('delivered');
  });

  it('resumes after the last message that was seen: the rest comes at once, leased or not', async () => {
    const { inbox, send } = await open();
    for (const text of ['one', 'two', 'three']) await send(text);
    const first = await follow(`${inbox}?lease_seconds=3600`);
    await expect.poll(first.texts, PATIENCE).toEqual(['one', 'two', 'three']);
    first.hangUp();
    const second = await follow(`${inbox}?lease_seconds=3600`, { 'last-event-id': '1' });
    await expect.poll(second.texts, PATIENCE).toEqual(['two', 'three']);
  });

  it('resumes on another hub of the same database, where mail from either arrives', async () => {
    const { place, inbox, bob, send } = await open();
    const other = await serve(place);
    await send('one');
    const first = await follow(`${inbox}?lease_seconds=3600`);
    await expect.poll(first.texts, PATIENCE).toEqual(['one']);
    first.hangUp();
    await send('two');
    const second = await follow(`${other.address}/v1/peers/${bob.peer_id}/inbox?lease_seconds=3600`, {
      'last-event-id': '1',
    });
    await expect.poll(second.texts, PATIENCE).toEqual(['two']);
    await send('three');
    await other.call('POST', `/v1/peers/${bob.peer_id}/messages`, { text: 'four' });
    await expect.poll(second.texts, PATIENCE).toEqual(['two', 'three', 'four']);
  });

  it('two streams of one mailbox on two hubs never get the same message under one lease', async () => {
    const { place, inbox, bob, send } = await open();
    const other = await serve(place);
    const streams = [
      await follow(`${inbox}?lease_seconds=3600`),
      await follow(`${other.address}/v1/peers/${bob.peer_id}/inbox?lease_seconds=3600`),
    ];
    await Promise.all(Array.from({ length: 30 }, (_, i) => send(`m${i}`)));
    const ids = () => streams.flatMap(({ told }) => told.map(({ id }) => id)).sort((a, b) => a - b);
    await expect.poll(() => ids().length, PATIENCE).toBeGreaterThanOrEqual(30);
    expect(ids()).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it('sends again what nobody acked within the lease, and not what was acked', async () => {
    const { inbox, send, receipt, call, bob } = await open();
    const [one, two] = [await send('one'), await send('two')];
    const { told } = await follow(`${inbox}?lease_seconds=1`);
    const times = (id: string) => told.filter(({ data }) => data.id === id).length;
    await expect.poll(() => times(two.id), PATIENCE).toBeGreaterThan(0);
    expect((await call('POST', `/v1/peers/${bob.peer_id}/messages/ack`, { ids: [one.id] })).acked).toEqual([
      one.id,
    ]);
    const { deliveries } = await receipt(one.id);
    const before = times(two.id);
    await expect.poll(() => times(two.id), PATIENCE).toBeGreaterThan(before);
    expect(await receipt(one.id)).toMatchObject({ state: 'acked', deliveries });
  });

  it('brings the mail of another session once that one was silent for too long', async () => {
    const { clock, bob, register, send, address } = await open();
    await send('for the first session');
    clock.advance(69_000);
    const second = await register();
    const { texts } = await follow(`${address}/v1/peers/${second.peer_id}/inbox`);
    await expect.poll(texts, PATIENCE).toEqual(['for the first session']);
    expect(bob.peer_id).not.toBe(second.peer_id);
  });

  it('refuses an unknown mailbox and a Last-Event-ID that is none', async () => {
    const { address, inbox } = await open();
    expect((await fetch(`${address}/v1/peers/nobody/inbox`)).status).toBe(404);
    for (const id of ['x', '-1', '1.5'])
      expect((await fetch(inbox, { headers: { 'last-event-id': id } })).status).toBe(400);
  });

  it('brings more long messages at once than a stream may hold in memory', async () => {
    const streams = createStreams({ log: silentLog, maxBufferedBytes: 256 * 1024 });
    const { inbox, send } = await open(runningClock(), streams);
    await Promise.all(Array.from({ length: 30 }, () => send('"'.repeat(16_000))));
    const { told } = await follow(`${inbox}?lease_seconds=3600`);
    await expect
      .poll(() => told.map(({ id }) => id), PATIENCE)
      .toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  it('a subscriber that went away without reading leaves its mail, which comes again', async () => {
    const { address, app, bob, send, call, receipt } = await open();
    const { hostname, port } = new URL(address);
    const deaf = connect(Number(port), hostname);
    onTestFinished(() => void deaf.destroy());
    deaf.pause();
    deaf.write(
      `GET /v1/peers/${bob.peer_id}/inbox?lease_seconds=1 HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`,
    );
    await expect.poll(() => app.streams.size, PATIENCE).toBe(1);
    const { id } = await send('are you there?');
    await expect.poll(async () => (await receipt(id)).state, PATIENCE).toBe('delivered');
    deaf.destroy();
    await expect.poll(() => app.streams.size, PATIENCE).toBe(0);
    const fetched: string[] = [];
    await expect
      .poll(async () => {
        const { messages } = await call('GET', `/v1/peers/${bob.peer_id}/messages`);
        fetched.push(...messages.map((message: { text: string }) => message.text));
        return fetched;
      }, PATIENCE)
      .toEqual(['are you there?']);
  });
});
