// The real clients, pinned, in a cache folder outside the repository: they are large, and tests only borrow them.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { toolEnv } from '../toolchain.mjs';

const VERSIONS = {
  '@anthropic-ai/claude-code': '2.1.325',
  '@openai/codex': '0.166.0',
  '@google/gemini-cli': '0.61.0',
  'opencode-ai': '1.18.33',
  '@agentclientprotocol/claude-agent-acp': '0.99.1',
  '@agentclientprotocol/codex-acp': '2.6.0',
  '@modelcontextprotocol/inspector': '2.12.0',
};

const cache =
  process.env.HOLDFAST_CLIENTS_CACHE ??
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holdfast-clients');

/** Installs what is missing. Answers the folder of their commands. */
export function installClients() {
  const missing = Object.entries(VERSIONS).filter(([name, version]) => installedVersion(name) !== version);
  if (missing.length > 0) {
    console.error(
      `Installing ${missing.map(([name, version]) => `${name}@${version}`).join(', ')} into ${cache} …`,
    );
    mkdirSync(cache, { recursive: true });
    writeFileSync(join(cache, 'package.json'), JSON.stringify({ private: true, dependencies: VERSIONS }));
    const args = ['install', '--no-audit', '--no-fund', '--loglevel=error'];
    const { status } = spawnSync('npm', args, { cwd: cache, env: toolEnv, stdio: ['ignore', 2, 2] });
    if (status !== 0) throw new Error('npm could not install the clients; see above.');
  }
  return join(cache, 'node_modules', '.bin');
}

function installedVersion(name) {
  const manifest = join(cache, 'node_modules', name, 'package.json');
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, 'utf8')).version : undefined;
}
