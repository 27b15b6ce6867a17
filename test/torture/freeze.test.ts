import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { describeFrozen, tortureFrozen } from './freeze.ts';

it(
  'hubs that are frozen and killed hold nobody up, lose nothing and do nothing twice',
  { timeout: 180_000 },
  async () => {
    const report = await tortureFrozen({
      database: { url: inject('postgresUrl'), schema: `freeze_${randomBytes(4).toString('hex')}` },
      tasks: 60,
      freezes: 2,
      maxMs: 150_000,
      holdfast: builtBin('holdfast'),
    });
    process.stdout.write(describeFrozen(report));
    expect(report.violations).toEqual([]);
    expect(report.operations).toBeGreaterThan(60);
  },
);
