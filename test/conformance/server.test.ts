import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHttpApp } from '../../src/http/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { createChangeBoard } from '../../src/mcp/changes.ts';
import { createEngine } from '../../src/mcp/engine/engine.ts';
import { createHttpHost } from '../../src/mcp/hosts/http/http.ts';
import { createRegistry } from '../../src/mcp/registry.ts';
import { createSessions } from '../../src/mcp/sessions/sessions.ts';
import { KEY } from '../fixtures/mcp-server.ts';
import { conformanceServer } from './fixture.ts';
import { RETRY, runSuite, showTable } from './suite.ts';

/** The official suite against a server in our registry, on our HTTP host, behind our guards. */
const board = createChangeBoard();
const registry = createRegistry([conformanceServer(board)]);
const engine = createEngine({ key: KEY, changes: board });
const host = createHttpHost({ engine, sessions: createSessions({ key: KEY }) });
const app = createHttpApp({
  routes: [],
  mounts: [{ path: '/mcp', handle: host.mount({ server: registry.get('conformance')!, sessions: 'spec' }) }],
  authenticate: () => localPrincipal(''),
  log: silentLog,
});
let url: string;
const folder = mkdtempSync(join(tmpdir(), 'hf-conformance-'));

beforeAll(async () => {
  const { address } = await app.listen({ host: '127.0.0.1', ports: [0] });
  url = `${address}/mcp`;
});
afterAll(async () => {
  host.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['2026-07-28', 37],
  ['2025-11-25', 30],
] as const)(
  'revision %s: all %i required server scenarios pass, and the unscored ones, tasks included',
  { timeout: 120_000, retry: RETRY },
  async (revision, count) => {
    const report = await runSuite(['server', '--url', url, '--requirements', revision, '-o', folder], folder);
    process.stdout.write(`${showTable(`Server conformance ${revision}`, report)}\n`);
    expect(report.required.filter((row) => !row.passes)).toEqual([]);
    expect(report.unscored.filter((row) => !row.passes)).toEqual([]);
    expect(report.required).toHaveLength(count);
    const tasks = report.unscored.filter(({ scenario }) => scenario.startsWith('tasks-'));
    expect(tasks).toHaveLength(revision === '2026-07-28' ? 10 : 0);
    expect(report.code).toBe(0);
  },
);
