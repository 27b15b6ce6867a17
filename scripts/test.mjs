// `npm test`: installs, builds, checks, runs every test. The last line is the sum: `N passed, N failed`.
// `npm test -- <path>` runs only the named tests, without the checks.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { ensureInstalled, node24, root, scriptOf, toolEnv } from './toolchain.mjs';

/** How long a run that has reported may take to end, and how long any run may take at all. */
const FAREWELL_MS = 60_000;
const PATIENCE_MS = 45 * 60_000;

const report = join(root, '.cache', `tests-${process.pid}.json`);
const chosen = process.argv.slice(2);

ensureInstalled();
await ensureBuilt();
const checks = chosen.length === 0 ? await runChecks() : { passed: 0, failed: 0 };

mkdirSync(join(root, '.cache'), { recursive: true });
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...chosen];
/** How the last run ended, in words. */
let how = '';
let code = await runTests(args);
// Somebody ended it: what it would have told is not known, so it is asked again, once and aloud.
if (!existsSync(report)) {
  console.error(`The test run left no report (${how}); it is run once more.`);
  code = await runTests(args);
}
const tests = readTally();

const passed = checks.passed + tests.passed;
const failed = checks.failed + tests.failed;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);

/**
 * Runs the tests as a process group of their own and ends the whole group with them: a process that a failed test
 * left behind can neither hold up the end of the run nor keep its output open. Resolves with the exit code.
 */
function runTests(args) {
  return new Promise((resolve, reject) => {
    const detached = process.platform !== 'win32';
    const child = spawn(node24, [scriptOf('vitest'), ...args], {
      cwd: root,
      env: toolEnv,
      stdio: ['ignore', 'inherit', 'inherit'],
      detached,
    });
    const end = (why) => {
      if (why) console.error(why);
      try {
        if (detached) process.kill(-Number(child.pid), 'SIGKILL');
        else child.kill();
      } catch {
        // The group is gone already, as it should be.
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (end(), process.exit(1)));
    let reportedAt = 0;
    const started = Date.now();
    const watch = setInterval(() => {
      if (!reportedAt && existsSync(report)) reportedAt = Date.now();
      if (reportedAt && Date.now() - reportedAt > FAREWELL_MS)
        end('The run had reported but did not end; it was ended.');
      else if (Date.now() - started > PATIENCE_MS) end('The run took too long; it was ended.');
    }, 1_000);
    child.on('error', reject);
    child.on('exit', (status, signal) => {
      how = `${signal ?? `exit code ${status}`} after ${Math.round((Date.now() - started) / 1000)} s`;
      if (signal) console.error(`The test run was ended by ${signal}.`);
      clearInterval(watch);
      end();
      resolve(status ?? 1);
    });
  });
}

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
