import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { fuzz } from './fuzz.ts';
import { openFuzzHub } from './fuzz-hub.ts';

/** The same for a second try: another seed would hide what the first one found. */
const seed = Number(process.env['HOLDFAST_FUZZ_SEED'] ?? Date.now() % 1_000_000);

it(
  '4,000 inputs made from the schemas of all routes and tools bring no defect to light',
  { timeout: 300_000 },
  async () => {
    const { hub, token } = await openFuzzHub(freshFolder());
    try {
      const { sent, byStatus, failures, targets } = await fuzz({
        address: hub.address,
        token,
        inputs: 4_000,
        seed,
      });
      process.stdout.write(`fuzz: seed ${seed}, ${sent} inputs, ${JSON.stringify(byStatus)}\n`);
      expect(failures, `HOLDFAST_FUZZ_SEED=${seed} brings them back`).toEqual([]);
      for (const name of ['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'WebFetch', 'tasks__claim_task'])
        expect(
          targets.some((target) => target.endsWith(` ${name}`)),
          name,
        ).toBe(true);
      expect((await fetch(`${hub.address}/api/health`)).status).toBe(200);
    } finally {
      await hub.close();
    }
  },
);
