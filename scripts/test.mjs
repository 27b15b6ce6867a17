// `npm test`: installs, builds, checks, runs every test. The last line is the sum: `N passed, N failed`.
// `npm test -- <path>` runs only the named tests, without the checks.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { ensureInstalled, root, runTool } from './toolchain.mjs';

const report = join(root, '.cache', `tests-${process.pid}.json`);
const chosen = process.argv.slice(2);

ensureInstalled();
await ensureBuilt();
const checks = chosen.length === 0 ? await runChecks() : { passed: 0, failed: 0 };

mkdirSync(join(root, '.cache'), { recursive: true });
const { code } = await runTool('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...chosen]);
const tests = readTally();

const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
process.exitCode = failed === 0 ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);

/** A run that broke without a failed test (a suite that did not load, an unhandled rejection) counts as one failure. */
function readTally() {
  let tally = { passed: 0, failed: 0 };
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    tally = { passed: numPassedTests, failed: numFailedTests };
  } catch (error) {
    console.error(`The test run left no report: ${error.message}`);
  } finally {
    rmSync(report, { force: true });
  }
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}
