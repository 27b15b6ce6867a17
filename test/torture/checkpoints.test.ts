import { expect, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { describeCheckpoints, tortureCheckpoints, tortureFullDisk } from './checkpoints.ts';

it(
  'a hub killed inside a checkpoint opens again, with everything it acknowledged',
  { timeout: 120_000 },
  async () => {
    const report = await tortureCheckpoints({ rounds: 2, holdfast: builtBin('holdfast'), isFilling: false });
    process.stdout.write(describeCheckpoints(report));
    expect(report.violations).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(0);
  },
);

it('so does one whose disk was full in it', { timeout: 120_000 }, async () => {
  const report = await tortureFullDisk({ rounds: 1, holdfast: builtBin('holdfast') });
  process.stdout.write(report ? describeCheckpoints(report) : 'no disk can be mounted here\n');
  expect(report?.violations ?? []).toEqual([]);
  expect(report?.acknowledged ?? 1).toBeGreaterThan(0);
});
