import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzz } from './fuzz.ts';
import { openFuzzHub } from './fuzz-hub.ts';

/** `npm run fuzz [-- inputs [seed]]`: the long form of what `npm test` does briefly. */
const inputs = Number(process.argv[2] ?? 200_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'holdfast-fuzz-'));
process.stdout.write(`seed ${seed}, ${inputs} inputs\n`);
const { hub, token } = await openFuzzHub(folder);
const { sent, byStatus, failures } = await fuzz({ address: hub.address, token, inputs, seed });
await hub.close();
rmSync(folder, { recursive: true, force: true });
process.stdout.write(
  `${sent} sent, ${JSON.stringify(byStatus)}\n${failures.map((each) => `${each}\n`).join('')}`,
);
process.exit(failures.length === 0 ? 0 : 1);
