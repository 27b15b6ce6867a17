// A person's machine in a temporary folder: a home, a running hub, and a way to run commands there. Nothing of the real home is touched.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { node24, root, toolEnv } from '../toolchain.mjs';

const holdfast = join(root, 'dist', 'bin', 'holdfast.js');
const COMMAND_MS = 120_000;

export async function openStage(commands) {
  const home = mkdtempSync(join(tmpdir(), 'holdfast-clients-'));
  const folder = join(home, 'project');
  mkdirSync(folder);
  const env = {
    PATH: [commands, toolEnv.PATH].join(delimiter),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    HOLDFAST_HOME: join(home, '.holdfast'),
    HOLDFAST_LOG: 'warn',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  };
  let hub;
  let address;
  const endAtOnce = () => hub.kill('SIGKILL');
  process.once('exit', endAtOnce);
  async function startHub() {
    hub = spawn(node24, [holdfast, 'up', '--port', '0', '--json'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    address = await firstLine(hub).then((line) => JSON.parse(line).address);
  }
  async function stopHub(signal) {
    const gone = new Promise((resolve) => hub.once('exit', resolve));
    hub.kill(signal);
    await gone;
  }
  await startHub();

  /** Resolves with what the command said, whatever its exit code. */
  const run = (command, args, { extra = {}, input } = {}) =>
    new Promise((resolve) => {
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...env, ...extra },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: COMMAND_MS,
      });
      let said = '';
      child.stdout.on('data', (chunk) => (said += chunk));
      child.stderr.on('data', (chunk) => (said += chunk));
      child.on('error', (error) => resolve({ code: -1, said: error.message }));
      child.on('close', (code) => resolve({ code, said: stripVTControlCharacters(said) }));
      child.stdin.end(input ?? '');
    });

  return {
    home,
    folder,
    get address() {
      return address;
    },
    env,
    path: env.PATH,
    run,
    holdfast: (...args) => run(node24, [holdfast, ...args]),
    /** Titles of all tasks on the board. */
    async titles() {
      const response = await fetch(`${address}/api/board/tasks`);
      return (await response.json()).tasks.map((task) => task.title);
    },
    /** Another hub on the same home, after the one there is was told to go: `SIGKILL` leaves it no time for anything. */
    async anotherHub(signal) {
      await stopHub(signal);
      await startHub();
    },
    async close() {
      await stopHub('SIGTERM');
      process.off('exit', endAtOnce);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('\n')) resolve(said);
    });
    child.once('exit', (code) => reject(new Error(`the hub ended with ${code} before it was up`)));
  });
}
