// What every script stands on. Runs on any Node from 18 with nothing installed: only node built-ins here.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const bin = join(root, 'node_modules', '.bin');
const record = join(root, 'node_modules', '.package-lock.json');
const isWindows = process.platform === 'win32';

/** The Node 24 that the development dependency `node` carries, whatever the machine has. */
export const node24 = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');

export const toolEnv = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };

/** Installs what the lock file asks for, unless it is all there. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.error('Installing dependencies (once) …');
  // Install scripts run apart, and only those that packages declare: npm's lock file forgets `gypfile: false`, so that npm would run
  // node-gyp for better-sqlite3, which carries its binaries. That needs Python, a compiler and headers from the network.
  runNpm('ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund');
  // The package `node` comes last: isInstalled looks for what its script puts in place.
  const declared = Object.keys(packagesOf(record)).filter(declaresInstallScript).map(nameOf);
  for (const names of [declared.filter((name) => name !== 'node'), ['node']]) {
    if (names.length > 0) runNpm('rebuild', '--ignore-scripts=false', ...names);
  }
}

function declaresInstallScript(path) {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  return ['preinstall', 'install', 'postinstall'].some((name) => name in scripts);
}

function nameOf(path) {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function runNpm(...args) {
  const npm = process.env.npm_execpath;
  const all = [...args, '--loglevel=error', '--no-update-notifier'];
  // Under `npm test` this very Node may be the one of node_modules, which `npm ci` has just taken away.
  const node = existsSync(process.execPath) ? process.execPath : 'node';
  const [command, line] = npm ? [node, [npm, ...all]] : ['npm', all];
  const { status, error } = spawnSync(command, line, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: !npm && isWindows,
  });
  if (status === 0) return;
  console.error(
    `npm ${args[0]} failed${error ? `: ${error.message}` : ''}. Check the network and the message above, then run the command again.`,
  );
  process.exit(1);
}

/** npm writes its record after every package, and the scripts run after that: an interrupted install is never taken for a whole one. */
function isInstalled() {
  if (!existsSync(record) || !existsSync(node24)) return false;
  const wanted = packagesOf(join(root, 'package-lock.json'));
  const present = packagesOf(record);
  return Object.entries(wanted).every(([path, { version, optional, devOptional, link }]) => {
    if (path === '' || link) return true;
    const found = present[path];
    return found ? found.version === version : Boolean(optional ?? devOptional);
  });
}

function packagesOf(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** The script behind an installed command, to be run by `node24` so that no shell or shebang is needed. */
export function scriptOf(tool) {
  const [name, command] = tool === 'tsc' ? ['typescript', 'tsc'] : [tool, tool];
  const folder = join(root, 'node_modules', name);
  const { bin: entry } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof entry === 'string' ? entry : entry[command]);
}

/** Runs an installed tool and resolves with its exit code; `quiet` keeps the output for the caller. */
export function runTool(tool, args, { quiet = false } = {}) {
  return runNode([scriptOf(tool), ...args], { quiet });
}

export function runNode(args, { quiet = false, env = {} } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(node24, args, {
      cwd: root,
      env: { ...toolEnv, ...env },
      stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}
