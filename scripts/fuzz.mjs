// `npm run fuzz [-- inputs [seed]]`: inputs made from the schemas of all routes and tools, against a hub of its own.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

ensureInstalled();
await ensureBuilt();
const { code } = await runNode([
  '--no-warnings',
  join(root, 'test', 'fuzz', 'main.ts'),
  ...process.argv.slice(2),
]);
process.exitCode = code;
