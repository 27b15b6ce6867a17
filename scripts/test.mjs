// `npm test`: installs, builds, checks, runs every test. The last line is the sum: `N passed, N failed`.
// `npm test -- <path>` runs only the named tests, without the checks.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runChecks } from './check.mjs';
import { readJournal } from './test-journal.mjs';
import { scratchInMemory } from './scratch.mjs';
import { ensureInstalled, node24, root, scriptOf, toolEnv } from './toolchain.mjs';

/** How long a run that has reported may take to end, and how long any run may take at all. */
const FAREWELL_MS = 60_000;
const PATIENCE_MS = 80 * 60_000;

/** It was built just now; and what processes of ours are made of is compiled once, not in each of a thousand new homes. */
const OURS = {
  HOLDFAST_TEST_BUILD: join(root, 'dist'),
  NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
};
const report = join(root, '.cache', `tests-${process.pid}.json`);
const journal = join(root, '.cache', `tests-${process.pid}.journal`);
const chosen = process.argv.slice(2);

ensureInstalled();
await ensureBuilt();
const checks = chosen.length === 0 ? await runChecks() : { passed: 0, failed: 0 };

mkdirSync(join(root, '.cache'), { recursive: true });
const code = await runTests([
  'run',
  '--reporter=default',
  '--reporter=json',
  `--reporter=${join(root, 'scripts', 'test-journal.mjs')}`,
  `--outputFile.json=${report}`,
  ...chosen,
]);
const tests = readTally();
const { again } = readJournal(journal);
rmSync(journal, { force: true });
// A second try hides what the first one saw: each is named, in green runs too.
if (again.length > 0)
  console.log(
    `${again.length} passed or failed only at a second try:\n${again.map((name) => `  ${name}`).join('\n')}`,
  );

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
      env: { ...toolEnv, ...OURS, ...scratchInMemory(), HOLDFAST_TEST_JOURNAL: journal },
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
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.once(signal, () => {
        end(`npm test itself was sent ${signal}; ${describeJournal()}`);
        process.exit(1);
      });
    let reportedAt = 0;
    const started = Date.now();
    const oomBefore = countOutOfMemory();
    const watch = setInterval(() => {
      if (!reportedAt && existsSync(report)) reportedAt = Date.now();
      if (reportedAt && Date.now() - reportedAt > FAREWELL_MS)
        end('The run had reported but did not end; it was ended.');
      else if (Date.now() - started > PATIENCE_MS) end('The run took too long; it was ended.');
    }, 1_000);
    child.on('error', reject);
    child.on('exit', (status, signal) => {
      if (signal || !existsSync(report)) {
        const seconds = Math.round((Date.now() - started) / 1000);
        const oom = countOutOfMemory() - oomBefore;
        console.error(
          `The test run ended with ${signal ?? `exit code ${status}`} after ${seconds} s; ${describeJournal()}; ` +
            `the system ended ${oom} processes for want of memory meanwhile.`,
        );
      }
      clearInterval(watch);
      end();
      resolve(status ?? 1);
    });
  });
}

function describeJournal() {
  const { open, ended } = readJournal(journal);
  return `${ended.length} files had ended, these had begun: ${open.join(', ') || 'none'}`;
}

/** How many processes Linux has ended since it started because memory was short; 0 where nobody counts. */
function countOutOfMemory() {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
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
