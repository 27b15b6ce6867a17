// What every script stands on. Runs on any Node from 18 with nothing installed: only node built-ins here.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

const bin = join(root, 'node_modules', '.bin');
const isWindows = process.platform === 'win32';

/** The Node 24 that the development dependency `node` carries, whatever the machine has. */
export const node24 = join(root, 'node_modules', 'node', 'bin', isWindows ? 'node.exe' : 'node');

export const toolEnv = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}` };

/** Installs what the lock file asks for, unless npm's own record says that it is all there. */
export function ensureInstalled() {
  if (isInstalled()) return;
  console.error('Installing dependencies (once) …');
  const npm = process.env.npm_execpath;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command, all] = npm ? [process.execPath, [npm, ...args]] : ['npm', args];
  const { status, error } = spawnSync(command, all, { cwd: root, stdio: ['ignore', 2, 2], shell: !npm && isWindows });
  if (status !== 0) {
    console.error(
      `npm ci failed${error ? `: ${error.message}` : ''}. Check the network and the message above, then run the command again.`,
    );
    process.exit(1);
  }
}

/** npm writes node_modules/.package-lock.json last, so an interrupted install is never taken for a whole one. */
function isInstalled() {
  const record = join(root, 'node_modules', '.package-lock.json');
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
    const child = spawn(node24, args, { cwd: root, env: { ...toolEnv, ...env }, stdio: quiet ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? (signal ? 1 : 0), output }));
  });
}
