import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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
  'claude-code': ({ env }) => join(env['CLAUDE_CONFIG_DIR'] || userHome(env), '.claude.json'),
  codex: ({ env }) => join(env['CODEX_HOME'] || join(userHome(env), '.codex'), 'config.toml'),
  openclaw: ({ env }) =>
    env['OPENCLAW_CONFIG_PATH'] ||
    join(env['OPENCLAW_STATE_DIR'] || join(userHome(env), '.openclaw'), 'openclaw.json'),
  gemini: ({ env }) => join(userHome(env), '.gemini', 'settings.json'),
  opencode: ({ env }) => {
    const folder = join(env['XDG_CONFIG_HOME'] || join(userHome(env), '.config'), 'opencode');
    const commented = join(folder, 'opencode.jsonc');
    return env['OPENCODE_CONFIG'] || (existsSync(commented) ? commented : join(folder, 'opencode.json'));
  },
  cursor: ({ env }) => join(userHome(env), '.cursor', 'mcp.json'),
  vscode: ({ env, platform }) => join(codeFolder(env, platform), 'User', 'mcp.json'),
};

/** The settings a client's hooks stand in; OpenCode loads a file of its own. */
export function hookFile(
  runtime: 'claude-code' | 'codex' | 'gemini' | 'opencode',
  around: Surroundings,
): string {
  const { env } = around;
  if (runtime === 'claude-code')
    return join(env['CLAUDE_CONFIG_DIR'] || join(userHome(env), '.claude'), 'settings.json');
  if (runtime === 'codex') return join(dirname(USER.codex(around)), 'hooks.json');
  if (runtime === 'gemini') return USER.gemini(around);
  const folder = join(env['XDG_CONFIG_HOME'] || join(userHome(env), '.config'), 'opencode');
  return join(folder, 'plugins', 'holdfast.js');
}

/** What shows that a client is on this machine: a folder or file of its own, or a command on the path. */
export function signsOf(
  runtime: Runtime,
  around: Surroundings,
): Readonly<{ places: string[]; command: string }> {
  const file = USER[runtime](around);
  const own = runtime === 'claude-code' ? [file, join(userHome(around.env), '.claude')] : [dirname(file)];
  // The folder above `User` is the editor's; the one with the settings may not be there yet.
  return { places: runtime === 'vscode' ? [dirname(own[0]!)] : own, command: COMMANDS[runtime] };
}

const COMMANDS: Readonly<Record<Runtime, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  openclaw: 'openclaw',
  gemini: 'gemini',
  opencode: 'opencode',
  cursor: 'cursor',
  vscode: 'code',
};

function codeFolder(env: Environment, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return join(userHome(env), 'Library', 'Application Support', 'Code');
  if (platform === 'win32') return join(env['APPDATA'] || join(userHome(env), 'AppData', 'Roaming'), 'Code');
  return join(env['XDG_CONFIG_HOME'] || join(userHome(env), '.config'), 'Code');
}

export function userHome(env: Environment): string {
  return env['HOME'] || homedir();
}
