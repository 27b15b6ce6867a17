import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';

const RECIPIENT = fileURLToPath(new URL('recipient.ts', import.meta.url));
const TOKEN = '5e'.repeat(32);
const MESSAGES = 150;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

eachEngine('delivery under fire', (engine) => {
  it('every message is acked once or visibly expired, whoever is killed', { timeout: 300_000 }, async () => {
    const { location, schema } = await freshPlace(engine);
    const place: Record<string, string> = schema
      ? { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema }
      : { CLAWBOO_DB_PATH: location };
    const env = freshHome({ ...place, HOLDFAST_TOKEN: TOKEN, HOLDFAST_LOG: 'error' });
    let hub = await startHub(env);
    const { address } = hub;
    const ports = ['--port', new URL(address).port];
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const call = async (method: string, path: string, body?: object) =>
      (
        await fetch(`${address}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      ).json() as Promise<any>;

    await call('POST', '/v1/peers/register', { display_name: 'bob', backend: 'codex' });

    const got = new Map<string, number>();
    const acked = new Map<string, number>();
    const count = (map: Map<string, number>, id: string) => map.set(id, (map.get(id) ?? 0) + 1);
    const recipients: ChildProcess[] = [];
    const hire = () => {
      const child = spawn(process.execPath, ['--no-warnings', RECIPIENT, address, TOKEN, 'bob'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      createInterface({ input: child.stdout }).on('line', (line) => {
        const [what, id] = line.split(' ') as [string, string];
        count(what === 'got' ? got : acked, id);
      });
      recipients.push(child);
    };
    onTestFinished(() => recipients.forEach((child) => child.kill('SIGKILL')));
    hire();
    hire();

    /** A sender that was not answered asks again under the same id. */
    const send = async (id: string, ttl?: number) => {
      for (;;) {
        try {
          const sent = await call('POST', '/v1/peers/bob/messages', {
            id,
            text: `message ${id}`,
            ...(ttl && { ttl_seconds: ttl }),
          });
          if (sent.id === id) return;
        } catch {
          // The hub is being restarted.
        }
        await pause(50);
      }
    };
    let isSending = true;
    const sending = Promise.all(
      [0, 1, 2].map(async (sender) => {
        for (let i = 0; i < MESSAGES / 3; i += 1) await send(`sent-${sender}-${i}`);
      }),
    ).finally(() => (isSending = false));

    for (let round = 0; round < 12 || isSending; round += 1) {
      await pause(250);
      recipients.shift()?.kill('SIGKILL');
      hire();
      if (round === 3 || round === 7) {
        await hub.stop('SIGKILL');
        hub = await startHub(env, ports);
      }
    }
    await sending;
    recipients.splice(0).forEach((child) => child.kill('SIGKILL'));
    await send('nobody-fetches', 1);
    await pause(1100);
    expect((await call('GET', '/v1/peers/dead-letters')).messages).toMatchObject([
      { id: 'nobody-fetches', state: 'expired' },
    ]);
    hire();

    const states = async () => {
      const ids = [0, 1, 2].flatMap((sender) =>
        Array.from({ length: MESSAGES / 3 }, (_, i) => `sent-${sender}-${i}`),
      );
      return Promise.all(ids.map((id) => call('GET', `/v1/peers/messages/${id}`)));
    };
    let final = await states();
    for (let i = 0; i < 100 && final.some(({ state }) => state !== 'acked'); i += 1) {
      await pause(200);
      final = await states();
    }
    expect(final.filter(({ state }) => state !== 'acked')).toEqual([]);
    await expect.poll(() => final.filter(({ id }) => !got.has(id)), { timeout: 15_000 }).toEqual([]);
    expect([...acked.values()].filter((times) => times > 1)).toEqual([]);
    expect(new Set(final.map(({ seq }) => seq)).size).toBe(MESSAGES);
  });
});
