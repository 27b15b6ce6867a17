import { expect, it, onTestFinished } from 'vitest';
import { createPeers } from '../../src/features/peers/peers.ts';
import { peersRoutes } from '../../src/features/peers/routes.ts';
import { createHttpApp } from '../../src/http/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

type Told = Readonly<{ id: number; event: string; data: any }>;

eachEngine('the inbox stream', (engine) => {
  const open = async () => {
    const db = await freshDatabase(engine);
    const peers = createPeers(db);
    const app = createHttpApp({ routes: peersRoutes({ db, peers: () => peers }), authenticate: () => localPrincipal(''), log: silentLog });
    onTestFinished(() => app.close());
    const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
    const call = async (method: string, path: string, body?: unknown) => {
      const response = await fetch(`${address}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      });
      return (await response.json()) as any;
    };
    const bob = await call('POST', '/v1/peers/register', { display_name: 'bob', backend: 'codex' });
    const send = (text: string) => call('POST', `/v1/peers/${bob.peer_id}/messages`, { text });
    return { address, app, call, bob, send };
  };

  /** Reads so many messages and hangs up. */
  async function take(url: string, count: number, headers: Record<string, string> = {}): Promise<Told[]> {
    const hangUp = new AbortController();
    const response = await fetch(url, { headers, signal: AbortSignal.any([hangUp.signal, AbortSignal.timeout(15_000)]) });
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const told: Told[] = [];
    let waiting = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      const frames = (waiting + chunk).split('\n\n');
      waiting = frames.pop()!;
      for (const frame of frames) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1];
        if (field('event') === 'message') told.push({ id: Number(field('id')), event: 'message', data: JSON.parse(field('data')!) });
      }
      if (told.length >= count) break;
    }
    hangUp.abort();
    return told;
  }

  it('sends what waits and what comes, with the seq as its id, and writes delivered', async () => {
    const { address, bob, send, call } = await open();
    const first = await send('one');
    const reading = take(`${address}/v1/peers/${bob.peer_id}/inbox`, 2);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await send('two');
    const told = await reading;
    expect(told.map(({ id, data }) => [id, data.text, data.state])).toEqual([
      [1, 'one', 'delivered'],
      [2, 'two', 'delivered'],
    ]);
    expect((await call('GET', `/v1/peers/messages/${first.id}`)).state).toBe('delivered');
  });

  it('resumes after the last message that was seen: the rest comes at once, leased or not', async () => {
    const { address, bob, send } = await open();
    for (const text of ['one', 'two', 'three']) await send(text);
    const url = `${address}/v1/peers/${bob.peer_id}/inbox?lease_seconds=3600`;
    await take(url, 3);
    expect((await take(url, 2, { 'last-event-id': '1' })).map(({ data }) => data.text)).toEqual(['two', 'three']);
  });

  it('sends again what nobody acked within the lease, and not what was acked', async () => {
    const { address, bob, send, call } = await open();
    const [one, two] = [await send('one'), await send('two')];
    const url = `${address}/v1/peers/${bob.peer_id}/inbox?lease_seconds=1`;
    const reading = take(url, 3);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await call('POST', `/v1/peers/${bob.peer_id}/messages/ack`, { ids: [one.id] })).acked).toEqual([one.id]);
    const told = await reading;
    expect(told.map(({ data }) => data.id)).toEqual([one.id, two.id, two.id]);
    expect(told[2]!.data.deliveries).toBe(2);
  });

  it('refuses an unknown mailbox and a Last-Event-ID that is none', async () => {
    const { address, bob } = await open();
    expect((await fetch(`${address}/v1/peers/nobody/inbox`)).status).toBe(404);
    expect((await fetch(`${address}/v1/peers/${bob.peer_id}/inbox`, { headers: { 'last-event-id': 'x' } })).status).toBe(400);
  });

  it('a subscriber that never reads is dropped, and its mail comes again', async () => {
    const { address, app, bob, send, call } = await open();
    const { connect } = await import('node:net');
    const { hostname, port } = new URL(address);
    const deaf = connect(Number(port), hostname);
    deaf.write(`GET /v1/peers/${bob.peer_id}/inbox?lease_seconds=1 HTTP/1.1\r\nhost: ${hostname}:${port}\r\n\r\n`);
    deaf.pause();
    onTestFinished(() => void deaf.destroy());
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(app.streams.size).toBe(1);
    const { id } = await send('are you there?');
    await new Promise((resolve) => setTimeout(resolve, 200));
    deaf.destroy();
    await new Promise((resolve) => setTimeout(resolve, 1200));
    const { messages } = await call('GET', `/v1/peers/${bob.peer_id}/messages`);
    expect(messages).toMatchObject([{ id, text: 'are you there?' }]);
  });
});
