// `npm start`: installs what is missing, builds what changed, runs the hub and shares its fate.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, node24, root } from './toolchain.mjs';

const parent = process.ppid;
ensureInstalled();
await ensureBuilt();

const holdfast = [join(root, 'dist', 'bin', 'holdfast.js')];
await offerPath();
const hub = spawn(node24, [...holdfast, 'up', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends Ctrl-C to the whole group, a service manager SIGTERM to this process alone. A SIGTERM to npm ends npm and its
// shell, which hand nothing on: that they are gone is the signal. The hub hears of it once: who asks again later is in haste.
const watch = setInterval(() => process.ppid === parent || stop('SIGTERM'), 500);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
function stop(signal) {
  clearInterval(watch);
  hub.kill(signal);
}
hub.on('exit', (code, signal) => {
  if (signal) console.error(`The hub was ended by ${signal}.`);
  clearInterval(watch);
  process.exitCode = code ?? 1;
});

/** Offered once, and made by setup, which shows it first and can take it back. Whoever says no has a line for one terminal. */
async function offerPath() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  if (folders.some((folder) => existsSync(join(folder, 'holdfast')))) return;
  const offered = join(root, '.cache', 'path-offered');
  if (process.stdin.isTTY && process.stdout.isTTY && !existsSync(offered)) {
    mkdirSync(dirname(offered), { recursive: true });
    writeFileSync(offered, '');
    console.log('`holdfast` is not on your path yet. Once, and not again:');
    const { status } = spawnSync(node24, [...holdfast, 'setup', '--path'], { stdio: 'inherit' });
    if (status === 0 && folders.some((folder) => existsSync(join(folder, 'holdfast')))) return;
  }
  const alias = `alias holdfast='"${node24}" "${holdfast[0]}"'`;
  console.log(
    `For the command line in another terminal:\n  ${alias}\nFor good: holdfast setup --path (holdfast uninstall takes it back)\n`,
  );
}
