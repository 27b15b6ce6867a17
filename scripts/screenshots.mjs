// `node scripts/screenshots.mjs FOLDER [words …]`: every view of the page as a picture, empty, full and with 5,000 tasks, light and
// dark, at 390, 1440 and 2560 wide. Words keep those whose names have all of them: `dark 390 board`.
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

if (process.argv[2] === undefined) {
  console.error('Say where they go: node scripts/screenshots.mjs FOLDER [words …]');
  process.exit(2);
}
ensureInstalled();
await ensureBuilt();
const { code } = await runNode([
  '--no-warnings',
  join(root, 'test', 'browser', 'screenshots', 'main.ts'),
  ...process.argv.slice(2),
]);
process.exitCode = code;
