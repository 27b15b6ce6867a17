import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHub } from '../../src/app.ts';
import { resolveConfig } from '../../src/kernel/config.ts';
import type { Hub } from '../../src/kernel/hub.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { createChangeBoard } from '../../src/mcp/changes.ts';
import { type HttpFixture, serveHttp } from '../fixtures/mcp-http.ts';
import { conformanceServer } from './fixture.ts';
import { RETRY, runSuite, showTable } from './suite.ts';

/** The official suite once more, through the hub: its fixture is a source and passes through under its own names. */
const RUNS = [
  ['2025-11-25', 'legacy'],
  ['2025-11-25', 'modern'],
  ['2026-07-28', 'modern'],
  ['2026-07-28', 'legacy'],
] as const;
const nameOf = (revision: string, era: string) => `${era}-${revision.slice(0, 4)}`;
const folder = mkdtempSync(join(tmpdir(), 'hf-conformance-sources-'));
let upstream: HttpFixture;
let hub: Hub;

beforeAll(async () => {
  const changes = createChangeBoard();
  // Tasks live in the process that began them: a call through the hub is awaited, so no scenario of theirs is held here,
  // and without their tools those that the suite tries end at once.
  upstream = await serveHttp(conformanceServer(changes, []), { engine: { changes } });
  const entry = (speaks: string) =>
    `{ url: "${upstream.url}", trust: all, timeout: 10s, speaks: "${speaks}" }`;
  // One each, so that a question which a scenario leaves unanswered does not meet the callers of the next one.
  const entries = RUNS.map(
    ([revision, era]) => `  ${nameOf(revision, era)}: ${entry(era === 'modern' ? '2026-07-28' : 'legacy')}\n`,
  );
  writeFileSync(join(folder, 'config.yaml'), `sources:\n${entries.join('')}`);
  const config = await resolveConfig({
    flags: { '--port': '0', '--no-auth': 'true' },
    env: {},
    home: folder,
  });
  hub = await createHub(config, 'public', silentLog);
  while (!(await allReady())) await new Promise((resolve) => setTimeout(resolve, 100));
}, 60_000);
afterAll(async () => {
  await hub.close();
  await upstream.close();
  rmSync(folder, { recursive: true, force: true });
});

async function allReady(): Promise<boolean> {
  const { sources } = (await (await fetch(`${hub.address}/api/sources`)).json()) as {
    sources: { state: string }[];
  };
  return sources.length === RUNS.length && sources.every(({ state }) => state === 'ready');
}

const AWAITED = /task/;

/** An older server asks one thing at a time, gives its questions no names, and does not know what each caller can be asked. */
const UNTOLD: readonly string[] = [
  'input-required-result-basic-elicitation',
  'input-required-result-multiple-input-requests',
  'input-required-result-capability-check',
];

test.each(RUNS)(
  'revision %s in front of a %s source: the required server scenarios pass',
  { timeout: 180_000, retry: RETRY },
  async (revision, era) => {
    const url = `${hub.address}/mcp/source/${nameOf(revision, era)}`;
    const report = await runSuite(['server', '--url', url, '--requirements', revision, '-o', folder], folder);
    process.stdout.write(`${showTable(`Through the hub, ${era} source, ${revision}`, report)}\n`);
    expect(report.required.length).toBeGreaterThanOrEqual(30);
    const untold = revision === '2026-07-28' && era === 'legacy' ? UNTOLD : [];
    const missed = report.required
      .filter((row) => !row.passes && !AWAITED.test(row.scenario))
      .map(({ scenario }) => scenario);
    expect(missed.filter((scenario) => !untold.includes(scenario))).toEqual([]);
  },
);
