import { expect, it } from 'vitest';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { silentLog } from '../../kernel/log.ts';
import { localPrincipal, systemActor } from '../../kernel/principal.ts';
import { VERSION } from '../../kernel/version.ts';
import { createHttpApp } from '../../http/app.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import { createActing } from '../../store/acting.ts';
import { hubOperations } from './operations.ts';

eachEngine('/api/health', (engine) => {
  it('tells version, engine, schema, event head and uptime', async () => {
    const db = await freshDatabase(engine);
    let now = 1000;
    const facts = {
      db,
      hub: 'h1',
      clock: { now: () => now, elapsed: () => now },
      startedAt: now,
      rooms: () => [],
      address: () => '',
      isOpen: false,
    };
    const routes = routesOf(behindService('hub', createActing(db), facts), hubOperations);
    const app = createHttpApp({
      routes,
      authenticate: () => localPrincipal(''),
      log: silentLog,
      verifyResponses: true,
    });
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
