import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMPILED } from '../fixtures/built.ts';
import { RETRY, runSuite, showTable } from './suite.ts';

/** The official suite plays the server and the authorization server; our upstream connector is the client. */
const folder = mkdtempSync(join(tmpdir(), 'hf-conformance-client-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each([
  ['2026-07-28', 32],
  ['2025-11-25', 18],
] as const)(
  'revision %s: all %i required client scenarios pass through the upstream connector',
  { timeout: 300_000, retry: RETRY },
  async (revision, count) => {
    const command = `${process.execPath} ${join(import.meta.dirname, 'client.ts')}`;
    // The suite starts all scenarios at once: on a small machine they need more than its 30 seconds, and a cache helps.
    const run = (...which: string[]) => {
      const args = ['client', '--command', command, ...which, '--timeout', '180000', '-o', folder];
      return runSuite(args, folder, { NODE_COMPILE_CACHE: join(folder, 'cache'), ...COMPILED });
    };
    const report = await run('--requirements', revision);
    process.stdout.write(`${showTable(`Client conformance ${revision}`, report)}\n`);
    expect(report.required).toHaveLength(count);
    // What failed in the crowd is asked again alone.
    for (const { scenario } of report.required.filter((row) => !row.passes)) {
      const alone = await run('--scenario', scenario, '--spec-version', revision);
      process.stdout.write(`  ${scenario}, alone: ${alone.output.trimEnd().split('\n').at(-1)}\n`);
      expect(alone.output, scenario).toContain('OVERALL: PASSED');
    }
  },
);
