import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { fuzzBoth } from './both.ts';
import { fuzz } from './fuzz.ts';
import { openFuzzHub } from './fuzz-hub.ts';

/**
 * `npm run fuzz [-- inputs [seed]]`: the long form of what `npm test` does briefly; every tenth input goes to
 * both engines.
 */
const inputs = Number(process.argv[2] ?? 200_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
process.stdout.write(`seed ${seed}, ${inputs} inputs\n`);
const { hub, token } = await openFuzzHub(place('alone'));
const { sent, byStatus, failures } = await fuzz({ address: hub.address, token, inputs, seed });
await hub.close();
report(`${sent} sent, ${JSON.stringify(byStatus)}`, failures);

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
process.exit(failures.length + both.failures.length === 0 ? 0 : 1);

function place(name: string): string {
  mkdirSync(join(folder, name));
  return join(folder, name);
}

function report(line: string, found: readonly string[]): void {
  process.stdout.write(`${line}\n${found.map((each) => `${each}\n`).join('')}`);
}
