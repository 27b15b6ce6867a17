// `npm run walk`: the first minutes of a new user, with a clock: clone, start, attach two agents, the second is refused. Real
// processes, a home of its own, nothing of this machine but git, npm and the network. On demand: it installs everything anew.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MOST_SECONDS = 180;
const source = process.argv[2] ?? `file://${dirname(dirname(fileURLToPath(import.meta.url)))}`;
const home = mkdtempSync(join(tmpdir(), 'holdfast-walk-'));
const port = await freePort();
const env = {
  HOME: home,
  PATH: [join(home, '.local', 'bin'), process.env.PATH].join(delimiter),
  HOLDFAST_PORT: String(port),
  ...(process.env.npm_config_registry && { npm_config_registry: process.env.npm_config_registry }),
  ...Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(https?|no)_proxy$|^NODE_EXTRA_CA|^SSL_CERT/i.test(name),
    ),
  ),
};
const folder = join(home, 'holdfast');
const began = performance.now();
const since = () => ((performance.now() - began) / 1000).toFixed(1);
let hub;

try {
  step('clone', () =>
    must(spawnSync('git', ['clone', '-q', '--depth', '1', source, folder], { env, encoding: 'utf8' })),
  );
  await step('npm start, until the hub answers', async () => {
    hub = spawn('npm', ['start'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [hub.stdout, hub.stderr]) stream.on('data', (chunk) => (said += chunk));
    while (!said.includes('is up at')) {
      if (hub.exitCode !== null || Number(since()) > 10 * 60)
        throw new Error(`The hub did not start:\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    if (!said.includes('alias holdfast=')) throw new Error(`Nobody is told how to call it:\n${said}`);
  });
  step('holdfast on the path', () => {
    const bare = join(folder, 'node_modules', 'node', 'bin', 'node');
    must(run(bare, [join(folder, 'dist', 'bin', 'holdfast.js'), 'setup', '--path', '--yes']));
    if (!existsSync(join(home, '.local', 'bin', 'holdfast'))) throw new Error('It is not there.');
  });
  const [, id] =
    /^(\w+) added/.exec(step('a task', () => holdfast('board', 'add', 'Write a haiku about kelp'))) ?? [];
  step('the first agent claims it', () => holdfast('board', 'claim', '--as', 'ada'));
  step('the second agent is refused', () => {
    const { status, stderr } = run('holdfast', ['board', 'done', id, '--as', 'bob']);
    if (status !== 4 || !stderr.includes('ada holds this task')) throw new Error(`It was not: ${stderr}`);
    return stderr.trim();
  });
  const seconds = Number(since());
  console.log(`\n${seconds} s from clone to the second agent refused; at most ${MOST_SECONDS} are meant.`);
  process.exitCode = seconds <= MOST_SECONDS ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await stop();
  rmSync(home, { recursive: true, force: true, maxRetries: 10 });
}

function step(name, work) {
  const before = Number(since());
  const told = (result) => {
    console.log(`${since().padStart(6)} s  ${name} (${(Number(since()) - before).toFixed(1)} s)`);
    return result;
  };
  const result = work();
  return result instanceof Promise ? result.then(told) : told(result);
}

function run(command, args) {
  return spawnSync(command, args, { cwd: folder, env, encoding: 'utf8' });
}

function holdfast(...args) {
  return must(run('holdfast', args));
}

function must({ status, stdout, stderr, error }) {
  if (status !== 0) throw new Error(stderr || error?.message || `It ended with ${status}.`);
  return stdout.trim();
}

/** The hub itself is told: npm hands no signal on. */
async function stop() {
  if (!hub || hub.exitCode !== null) return;
  const record = run('holdfast', ['stop']);
  if (record.status !== 0) hub.kill('SIGTERM');
  await new Promise((resolve) => {
    if (hub.exitCode !== null) resolve();
    else hub.once('exit', resolve);
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port: free } = server.address();
      server.close(() => resolve(free));
    });
  });
}
