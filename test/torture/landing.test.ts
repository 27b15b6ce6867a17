import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { startTorturedHub } from './dispatch-hub.ts';
import { describeLanding, tortureLanding } from './landing.ts';

const TOKEN = 't'.repeat(40);

eachEngine('killing hubs while branches land', (engine) => {
  it('loses no commit, lands nothing twice, and makes no tip that fails', { timeout: 240_000 }, async () => {
    const place = await freshPlace(engine);
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: TOKEN, HOLDFAST_LOG: 'silent' });
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'config.yaml'),
      stringify({
        land: { '*': { unconfined: true } },
        ...(place.schema !== undefined && { 'database-schema': place.schema }),
      }),
    );
    const report = await tortureLanding({
      landings: 6,
      agents: 3,
      hubKills: 1,
      handMoves: 1,
      maxMs: 200_000,
      token: TOKEN,
      startHub: () => startTorturedHub(env),
    });
    process.stdout.write(describeLanding(engine, report));
    expect(report.violations).toEqual([]);
    expect(report.states['landed']).toBeGreaterThan(0);
    expect(report.hubKills).toBeGreaterThan(0);
  });
});
