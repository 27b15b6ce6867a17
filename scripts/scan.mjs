// `npm run scan`: what the scan of tool descriptions finds in test/scan, in both halves.
import { join } from 'node:path';
import { ensureInstalled, root, runNode } from './toolchain.mjs';

ensureInstalled();
const { code } = await runNode(['--no-warnings', join(root, 'test', 'scan', 'main.ts')]);
process.exitCode = code;
