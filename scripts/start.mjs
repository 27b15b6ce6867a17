// `npm start`: installs what is missing, builds what changed, runs the hub and shares its fate.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ensureBuilt } from './build.mjs';
import { ensureInstalled, node24, root } from './toolchain.mjs';

const parent = process.ppid;
ensureInstalled();
await ensureBuilt();

// Nothing is put on the path of the machine: this line is for the terminal one works in.
console.log(
  `For the command line in another terminal:\n  alias holdfast='"${node24}" "${join(root, 'dist', 'bin', 'holdfast.js')}"'\n`,
);
const hub = spawn(node24, [join(root, 'dist', 'bin', 'holdfast.js'), 'up', ...process.argv.slice(2)], {
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
