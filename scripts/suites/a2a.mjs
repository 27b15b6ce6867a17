// The kit of A2A's authors is a Python program in a repository of its own and in no package registry: whoever wants it run fetches it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { node24, root } from '../toolchain.mjs';

const TOKEN = 'k'.repeat(40);

/** One hub with one agent that answers over ACP, and the kit with its token. */
export async function runA2aKit(folder) {
  const kit = folder && join(resolve(folder), 'run_tck.py');
  if (!kit || !existsSync(kit)) {
    console.log(`${folder ? `${folder} has no run_tck.py` : 'The kit comes from a folder'}. Fetch it and prepare it as its README says, then name the folder:
  git clone https://github.com/a2aproject/a2a-tck && (cd a2a-tck && uv sync)
  npm run suites -- a2a ./a2a-tck`);
    return undefined;
  }
  const home = mkdtempSync(join(tmpdir(), 'holdfast-a2a-'));
  const agent = join(root, 'test', 'fixtures', 'dispatch', 'acp-agent.mjs');
  const settings = { agents: { talker: { family: 'acp', command: [node24, agent, home] } } };
  writeFileSync(join(home, 'config.yaml'), JSON.stringify(settings));
  const hub = await startHub(home);
  try {
    const option = readFileSync(kit, 'utf8').includes('--sut-host') ? '--sut-host' : '--sut-url';
    const python = spawnSync('uv', ['--version']).status === 0 ? ['uv', 'run'] : ['python3'];
    const [command, ...args] = [...python, kit, option, hub.address, '--transport', 'jsonrpc'];
    const { status } = spawnSync(command, args, {
      cwd: resolve(folder),
      stdio: 'inherit',
      env: { ...process.env, A2A_AUTH_TYPE: 'bearer', A2A_AUTH_TOKEN: TOKEN },
    });
    return status === 0;
  } finally {
    hub.child.kill('SIGTERM');
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function startHub(home) {
  const bin = join(root, 'dist', 'bin', 'holdfast.js');
  const child = spawn(node24, [bin, 'up', '--json', '--port', '0'], {
    env: { ...process.env, HOLDFAST_HOME: home, HOLDFAST_TOKEN: TOKEN, HOLDFAST_LOG: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((done, failed) => {
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('\n')) done({ child, address: JSON.parse(said.split('\n')[0]).address });
    });
    child.on('exit', (code) =>
      failed(new Error(`The hub ended with ${code} before it said where it listens.`)),
    );
  });
}
