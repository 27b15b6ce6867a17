// `npm run suites -- NAME… | all`: what others wrote to check programs like this one, run against this one. Without a name they
// are listed. Most are tests of ours that drive a suite of theirs and run in `npm test` as well; the rest is fetched when asked.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { runA2aKit } from './suites/a2a.mjs';
import { lookAtTypes } from './suites/attw.mjs';
import { checkShellLines } from './suites/shell-lines.mjs';
import { ensureInstalled, node24, root } from './toolchain.mjs';

/** Answer whether it is well; undefined: it could not be run here, and it was said why. */
const OWN = { a2a: runA2aKit, attw: lookAtTypes, shellcheck: checkShellLines };
const suites = JSON.parse(readFileSync(new URL('suites.json', import.meta.url), 'utf8'));

const asked = process.argv.slice(2);
const known = Object.keys(suites);
const names = asked.includes('all') ? known : asked.filter((word) => known.includes(word));
const rest = asked.filter((word) => word !== 'all' && !known.includes(word));
if (asked.length === 0) {
  for (const [name, { what }] of Object.entries(suites)) console.log(`${name.padEnd(18)} ${what}`);
  process.exit(0);
}
if (names.length === 0 || rest.length > (names.includes('a2a') ? 1 : 0)) {
  console.error(`There is no suite ${rest.join(' ')}. Known: ${known.join(', ')}.`);
  process.exit(2);
}

ensureInstalled();
await ensureBuilt();
const results = [];
for (const name of names) {
  console.log(`\n${name}: ${suites[name].what}`);
  results.push([name, await runSuite(name)]);
}
console.log('');
for (const [name, ok] of results)
  console.log(`${ok === undefined ? 'not run' : ok ? 'ok     ' : 'FAILED '} ${name}`);
process.exit(results.every(([, ok]) => ok) ? 0 : 1);

async function runSuite(name) {
  if (OWN[name]) return OWN[name](rest[0]);
  const { script = ['test.mjs'], files = [] } = suites[name];
  const [file, ...args] = script;
  const { status } = spawnSync(node24, [join(root, 'scripts', file), ...args, ...files], {
    cwd: root,
    stdio: 'inherit',
  });
  return status === 0;
}
