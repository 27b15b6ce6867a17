import { expect, it } from 'vitest';
import { sql } from '../../src/store/sql.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';

const KEY = `ghp_${'a1B2c3D4e5'.repeat(4)}`;

eachEngine('what a run is sent and says', (engine) => {
  it('reaches its agent whole and is kept without its secrets', async () => {
    const hub = await dispatchHub(engine);
    const run = await hub.run(
      [
        `say ${KEY}`,
        `raw ${Buffer.from(`first ${KEY.slice(0, 20)}\n${KEY.slice(20)} then\n`).toString('hex')}`,
        `complain the password=${KEY.slice(4)}`,
        `say hub ${hub.token}`,
        'say last',
        'exit 3',
      ].join('\n'),
    );
    expect(run.error.stderr).toBe('the password=[REDACTED]');
    const whole = (await hub.ask('GET', `/v1/biam/tasks/${run.task_id}`)).body;
    expect(whole.prompt).toContain('say [REDACTED]');
    const db = await hub.place.open();
    const kept = await db.read(async (q) =>
      JSON.stringify([
        await q.all(sql`select * from runs`),
        await q.all(sql`select * from run_events`),
        await q.all(sql`select * from run_messages`),
      ]),
    );
    // The agent was told the key, or it could not have said it.
    expect(kept).toContain('first [REDACTED]');
    expect(kept).toContain(' then');
    expect(kept).not.toMatch(/a1B2c3|c3D4e5/);
    expect(kept).not.toContain(hub.token);
  });

  it('a reply and a private key, line by line, are masked, too', async () => {
    const hub = await dispatchHub(engine);
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQ'.repeat(10),
      'kqhkiG'.repeat(10),
      '-----END PRIVATE KEY-----',
    ];
    const run = await hub.run([...lines.map((line) => `say ${line}`), 'say after'].join('\n'));
    expect(run.result).toMatch(/^(\[REDACTED\]\n)+after$/);
    const db = await hub.place.open();
    const kept = JSON.stringify(await db.read((q) => q.all(sql`select data from run_events`)));
    expect(kept).toContain('after');
    expect(kept).not.toMatch(/MIIEvQ|kqhkiG/);
  });
});
