import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../../kernel/config.ts';
import { type Runtime, settingsPath } from '../runtimes.ts';
import { jsonText } from './json-text.ts';
import type { SettingsText } from './settings-text.ts';
import { tomlText } from './toml-text.ts';

/** Where a client keeps its MCP servers, and how its file is written. */
export type ClientFile = Readonly<{ file: string; text: SettingsText; under: readonly string[] }>;

export type Surroundings = Readonly<{ env: Environment; cwd: string; platform: NodeJS.Platform }>;

/** `project`: the file of the folder one works in, which travels with it; else the user's own. */
export function clientFile(runtime: Runtime, where: 'user' | 'project', around: Surroundings): ClientFile {
  const file = where === 'project' ? join(around.cwd, PROJECT[runtime]) : USER[runtime](around);
  return { file, text: runtime === 'codex' ? tomlText : jsonText, under: settingsPath(runtime) };
}

const PROJECT: Readonly<Record<Runtime, string>> = {
  'claude-code': '.mcp.json',
  codex: '.codex/config.toml',
  openclaw: 'openclaw.json',
  gemini: '.gemini/settings.json',
  opencode: 'opencode.json',
  cursor: '.cursor/mcp.json',
  vscode: '.vscode/mcp.json',
};

const USER: Readonly<Record<Runtime, (around: Surroundings) => string>> = {
  'claude-code': ({ env }) => join(env['CLAUDE_CONFIG_DIR'] || home(env), '.claude.json'),
  codex: ({ env }) => join(env['CODEX_HOME'] || join(home(env), '.codex'), 'config.toml'),
  openclaw: ({ env }) =>
    env['OPENCLAW_CONFIG_PATH'] ||
    join(env['OPENCLAW_STATE_DIR'] || join(home(env), '.openclaw'), 'openclaw.json'),
  gemini: ({ env }) => join(home(env), '.gemini', 'settings.json'),
  opencode: ({ env }) => {
    const folder = join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'opencode');
    const commented = join(folder, 'opencode.jsonc');
    return env['OPENCODE_CONFIG'] || (existsSync(commented) ? commented : join(folder, 'opencode.json'));
  },
  cursor: ({ env }) => join(home(env), '.cursor', 'mcp.json'),
  vscode: ({ env, platform }) => join(codeFolder(env, platform), 'User', 'mcp.json'),
};

function codeFolder(env: Environment, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(home(env), 'Library', 'Application Support', 'Code');
  if (platform === 'win32') return join(env['APPDATA'] || join(home(env), 'AppData', 'Roaming'), 'Code');
  return join(env['XDG_CONFIG_HOME'] || join(home(env), '.config'), 'Code');
}

function home(env: Environment): string {
  return env['HOME'] || homedir();
}
