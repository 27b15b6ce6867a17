// `npm run torture [-- tasks [--runs | --freeze]]`: kills workers and the hub at random while they work, on
// both engines; with --freeze several hubs on one PostgreSQL are frozen and killed; with --sync [rounds] [seed] two clones
// with a board that travels are edited on both sides and merged by git.
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
