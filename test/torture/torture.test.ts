import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { describeReport, torture } from './torture.ts';

eachEngine('killing workers and the hub at random', (engine) => {
  it('loses nothing and does nothing twice', { timeout: 180_000 }, async () => {
    const report = await torture({
      database: engine === 'sqlite' ? 'sqlite' : { url: inject('postgresUrl'), schema: `torture_${randomBytes(4).toString('hex')}` },
      tasks: 150,
      workers: 4,
      killEveryMs: 300,
      maxMs: 120_000,
      bins: { holdfast: builtBin('holdfast'), tasks: builtBin('clawboo-mcp-tasks') },
    });
    process.stdout.write(describeReport(engine, report));
    expect(report.violations).toEqual([]);
    expect(report.workerKills + report.hubKills).toBeGreaterThan(0);
  });
});
