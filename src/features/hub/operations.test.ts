import { expect, it } from 'vitest';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { healthOf } from '../../../test/fixtures/health.ts';
import { systemActor } from '../../kernel/principal.ts';
import { VERSION } from '../../kernel/version.ts';

eachEngine('/api/health', (engine) => {
  it('tells version, engine, schema, event head and uptime', async () => {
    const db = await freshDatabase(engine);
    let now = 1000;
    const app = healthOf(db, { now: () => now, elapsed: () => now });
    await db.write(systemActor, async (tx) => tx.emit({ kind: 'hub.started', subject: 'h1', realm: 'hub' }));
    now += 250;
    const response = await app.inject('/api/health');
    expect(response.json()).toEqual({
      ok: true,
      problems: [],
      version: VERSION,
      engine,
      schema: db.schema,
      eventHead: 1,
      uptimeMs: 250,
      hub: 'h1',
    });
  });
});
