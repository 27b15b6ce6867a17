// `npm run torture [-- tasks]`: kills workers and the hub at random while they work, on both engines.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

ensureInstalled();
await ensureBuilt();
const { code } = await runNode([
  '--no-warnings',
  join(root, 'test', 'torture', 'main.ts'),
  ...process.argv.slice(2),
]);
process.exitCode = code;
