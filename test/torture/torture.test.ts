import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { torture } from './torture.ts';

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
    console.log(`${engine}: ${report.operations} operations, ${report.workerKills} workers and ${report.hubKills} hubs killed, ${report.violations.length} violations`);
    expect(report.violations).toEqual([]);
    expect(report.workerKills + report.hubKills).toBeGreaterThan(0);
  });
});
