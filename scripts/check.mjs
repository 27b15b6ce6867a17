// `npm run check`: types, lint, format, unused code. Says nothing about what is well.
import { join } from 'node:path';
import { ensureInstalled, root, runTool } from './toolchain.mjs';

const CHECKS = [
  { name: 'types', tool: 'tsc', args: ['--noEmit'] },
  { name: 'types of the page', tool: 'tsc', args: ['--noEmit', '-p', 'web'] },
  { name: 'lint', tool: 'oxlint', args: ['--type-aware', '--deny-warnings'] },
  { name: 'format', tool: 'oxfmt', args: ['--check', '.'] },
  { name: 'unused', tool: 'knip', args: [] },
];

/** Runs every check, prints one line each and what a failed one had to say. Resolves with { passed, failed }. */
export async function runChecks() {
  const tally = { passed: 0, failed: 0 };
  for (const { name, tool, args } of CHECKS) {
    const started = performance.now();
    const { code, output } = await runTool(tool, args, { quiet: true });
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${tool}, ${seconds} s)`);
    if (code !== 0) console.log(output);
    tally[code === 0 ? 'passed' : 'failed'] += 1;
  }
  return tally;
}

if (process.argv[1] === join(root, 'scripts', 'check.mjs')) {
  ensureInstalled();
  const { failed } = await runChecks();
  process.exitCode = failed === 0 ? 0 : 1;
}
