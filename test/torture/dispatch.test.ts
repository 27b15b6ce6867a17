import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { describeDispatch, tortureDispatch } from './dispatch.ts';
import { startTorturedHub } from './dispatch-hub.ts';

const WORKER = fileURLToPath(new URL('../fixtures/dispatch/worker.mjs', import.meta.url));
const TOKEN = 't'.repeat(40);

eachEngine('killing runs, agents and hubs at random', (engine) => {
  it('leaves no process, no run unknown and no task half done', { timeout: 240_000 }, async () => {
    const [place, repository] = [await freshPlace(engine), freshRepository()];
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: TOKEN, HOLDFAST_LOG: 'silent' });
    const worker = (...manner: string[]) => ({
      family: 'command',
      command: [process.execPath, WORKER, ...manner],
    });
    writeFileSync(
      join(env['HOLDFAST_HOME']!, 'config.yaml'),
      stringify({
        agents: {
          one: worker('good', '0', '900'),
          two: worker('untidy', '0', '900'),
          three: worker('dying', '0.3', '900'),
        },
        ...(place.schema !== undefined && { 'database-schema': place.schema }),
      }),
    );
    const report = await tortureDispatch({
      tasks: 12,
      atOnce: 3,
      killEveryMs: 800,
      maxMs: 150_000,
      instances: ['one', 'two', 'three'],
      project: repository.path,
      token: TOKEN,
      startHub: () => startTorturedHub(env),
    });
    process.stdout.write(describeDispatch(engine, report));
    expect(report.violations).toEqual([]);
    expect(report.hubKills + report.agentKills + report.cancels).toBeGreaterThan(0);
  });
});
