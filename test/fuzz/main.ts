import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { fuzzBoth } from './both.ts';
import { fuzz } from './fuzz.ts';
import { openFuzzHub } from './fuzz-hub.ts';
import { watchMemory } from './memory.ts';
import { readAll } from './read-all.ts';
import { fuzzSockets } from './sockets.ts';

/**
 * `npm run fuzz [-- inputs [seed]]`: the long form of what `npm test` does briefly. Of ten inputs five go to routes and
 * tools, one to both engines, and four to what reads files and frames; every fiftieth goes to a bare socket beside that.
 */
const inputs = Number(process.argv[2] ?? 200_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
process.stdout.write(`seed ${seed}, ${inputs} inputs\n`);
const found: string[] = [];
const reading = await readAll(Math.ceil(inputs * 0.4), seed);
report(`${reading.sent} read, ${reading.seeds} of them reached something new`, reading.failures);

const { hub, token } = await openFuzzHub(place('alone'));
// What is built once is built by the first ones.
await fuzz({ address: hub.address, token, inputs: Math.min(2_000, inputs), seed: seed + 1 });
const memory = await watchMemory();
const { sent, byStatus, failures } = await fuzz({
  address: hub.address,
  token,
  inputs: Math.ceil(inputs / 2),
  seed,
});
report(`${sent} sent, ${JSON.stringify(byStatus)}`, failures);
const sockets = await fuzzSockets(hub.address, Math.ceil(inputs / 50), seed);
report(`${sockets.sent} on sockets, ${sockets.answered} answered`, sockets.failures);
report('at rest', await memory());
await hub.close();

const server = await startPostgres();
const sqlite = await openFuzzHub(place('sqlite'));
const postgres = await openFuzzHub(place('postgres'), { url: server.url, schema: 'fuzz' });
const both = await fuzzBoth({
  sqlite: { address: sqlite.hub.address, token: sqlite.token },
  postgres: { address: postgres.hub.address, token: postgres.token },
  inputs: Math.ceil(inputs / 10),
  seed,
});
await Promise.all([sqlite.hub.close(), postgres.hub.close()]);
await server.stop();
report(`${both.sent} sent to both engines, ${JSON.stringify(both.byOutcome)}`, both.failures);
rmSync(folder, { recursive: true, force: true });
process.exit(found.length === 0 ? 0 : 1);

function place(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function report(line: string, failed: readonly string[]): void {
  found.push(...failed);
  process.stdout.write(`${line}\n${failed.map((each) => `${each}\n`).join('')}`);
}
