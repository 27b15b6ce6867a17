import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder, freshPlace } from '../fixtures/databases.ts';
import { fuzzBoth } from './both.ts';
import { openFuzzHub } from './fuzz-hub.ts';

/** The same for a second try: another seed would hide what the first one found. */
const seed = Number(process.env['HOLDFAST_FUZZ_SEED'] ?? Date.now() % 1_000_000);

it('the same input has the same status on both engines', { timeout: 120_000 }, async () => {
  const { location, schema } = await freshPlace('postgres');
  const folder = freshFolder();
  for (const name of ['one', 'other']) mkdirSync(join(folder, name));
  const sqlite = await openFuzzHub(join(folder, 'one'));
  const postgres = await openFuzzHub(join(folder, 'other'), { url: location, schema: schema! });
  try {
    const { sent, byOutcome, failures } = await fuzzBoth({
      sqlite: { address: sqlite.hub.address, token: sqlite.token },
      postgres: { address: postgres.hub.address, token: postgres.token },
      inputs: 600,
      seed,
    });
    process.stdout.write(`fuzz of both: seed ${seed}, ${sent} inputs, ${JSON.stringify(byOutcome)}\n`);
    expect(failures, `HOLDFAST_FUZZ_SEED=${seed} brings them back`).toEqual([]);
  } finally {
    await Promise.all([sqlite.hub.close(), postgres.hub.close()]);
  }
});
