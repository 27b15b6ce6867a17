// `npm run bench [-- name …]`: measures each part beside its baseline in the same run and prints ratios.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

ensureInstalled();
await ensureBuilt();
const { code } = await runNode([
  '--no-warnings',
  '--expose-gc',
  join(root, 'bench', 'main.ts'),
  ...process.argv.slice(2),
]);
process.exitCode = code;
