import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { describeReport, torture } from './torture.ts';

eachEngine('killing workers and the hub at random', (engine) => {
  it.each([
    ['agents that send their fences', false],
    ['agents that share a name and know only the documents', true],
  ])('loses nothing and does nothing twice, with %s', { timeout: 180_000 }, async (_, areNameless) => {
    const report = await torture({
      database:
        engine === 'sqlite'
          ? 'sqlite'
          : { url: inject('postgresUrl'), schema: `torture_${randomBytes(4).toString('hex')}` },
      areNameless,
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
