// What an installed package has to do, wherever it was installed: every command, the hub with its page, the
// board, the exports.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../toolchain.mjs';
import { run } from './run.mjs';

/** Throws with what is wrong; answers what it weighs. `folder` has the package in its node_modules. */
export async function checkPackage(folder, node) {
  const home = join(folder, 'home');
  mkdirSync(home);
  const env = {
    PATH: [join(folder, 'node_modules', '.bin'), dirname(node), '/usr/bin', '/bin'].join(delimiter),
    HOME: home,
    HOLDFAST_HOME: join(home, '.holdfast'),
    HOLDFAST_LOG: 'warn',
  };
  const { version, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  for (const name of Object.keys(bin))
    same(name, run(name, ['--version'], { cwd: folder, env }).trim(), version);
  const checkout = run(node, [join(root, 'dist', 'bin', 'holdfast.js'), '--help'], { cwd: folder, env });
  same('--help', run('holdfast', ['--help'], { cwd: folder, env }), checkout);
  const names = `console.log(Object.keys(await import(process.argv[1])).sort().join())`;
  const exported = (from) => run(node, ['--input-type=module', '-e', names, from], { cwd: folder, env });
  same('exports', exported('holdfast'), exported(join(root, 'dist', 'index.js')));
  await checkHub(folder, env);
  const { kind } = JSON.parse(run('holdfast', ['upgrade', '--json'], { cwd: folder, env }));
  same('the kind of installation', kind, 'folder');
  run('holdfast', ['board', 'list', '--json'], { cwd: folder, env });
  return weigh(folder);
}

async function checkHub(cwd, env) {
  const hub = spawn('holdfast', ['up', '--port', '0', '--json'], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(hub, 'exit');
  try {
    const [line] = await once(hub.stdout, 'data');
    const { address } = JSON.parse(String(line));
    const page = await (await fetch(`${address}/`, { headers: { accept: 'text/html' } })).text();
    same('the page', page, readFileSync(join(root, 'dist', 'web', 'index.html'), 'utf8'));
    for (const [, asset] of page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
      const answer = await fetch(`${address}${asset}`);
      same(
        asset,
        Buffer.from(await answer.arrayBuffer()).equals(readFileSync(join(root, 'dist', 'web', asset))),
        true,
      );
    }
    const { engine } = await (await fetch(`${address}/api/health`)).json();
    same('engine', engine, 'sqlite');
    run('holdfast', ['board', 'add', 'Write a haiku'], { cwd, env });
    const { tasks } = JSON.parse(run('holdfast', ['board', 'list', '--json'], { cwd, env }));
    same('the board', tasks.map(({ title }) => title).join(), 'Write a haiku');
    same('MCP over stdio', await firstTool(cwd, env), 'list_tasks');
  } finally {
    hub.kill('SIGTERM');
    await ended;
  }
  same('the end of the hub', hub.exitCode, 0);
}

async function firstTool(cwd, env) {
  const client = {
    clientInfo: { name: 'pack', version: '1' },
    protocolVersion: '2025-06-18',
    capabilities: {},
  };
  const lines = [
    { id: 1, method: 'initialize', params: client },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const server = spawn('clawboo-mcp-tasks', [], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  server.stdin.write(lines.join(''));
  let said = '';
  for await (const chunk of server.stdout) {
    said += chunk;
    if (said.split('\n').length > 2) break;
  }
  server.stdin.end();
  const { result } = JSON.parse(said.split('\n')[1]);
  return result.tools.find(({ name }) => name === 'list_tasks')?.name;
}

function same(what, found, wanted) {
  if (found !== wanted)
    throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

function weigh(folder) {
  const packages = readdirSync(join(folder, 'node_modules'), { recursive: true }).filter((path) =>
    /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(path),
  );
  const size = run('du', ['-sk', join(folder, 'node_modules')]).split('\t')[0];
  return `${packages.length} packages, ${Math.round(Number(size) / 1024)} MB`;
}
