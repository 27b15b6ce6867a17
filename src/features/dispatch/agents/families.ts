import type { AgentSettings, Family, AgentMode } from '../../../kernel/agent-settings.ts';
import { createClaudeReader } from '../frames/claude.ts';
import { createCodexReader } from '../frames/codex.ts';
import { type FrameReader, parseObject, type Usage } from '../frames/common.ts';
import { createGeminiReader } from '../frames/gemini.ts';
import { createOpencodeReader } from '../frames/opencode.ts';
import { createPlainReader } from '../frames/plain.ts';

/** How each family is started and read. Facts about other people's programs live here and nowhere else. */
type Order = Readonly<{
  prompt: string;
  mode: AgentMode;
  model: string | undefined;
  /** The agent's own session to go on with. */
  resume: string | undefined;
  /** This hub as an MCP server for this run alone. */
  hub: HubAttachment | undefined;
}>;

export type HubAttachment = Readonly<{ url: string; token: string }>;

export type CommandLine = Readonly<{
  args: readonly string[];
  input: string;
  env: Readonly<Record<string, string>>;
}>;

type AcpOrder = Readonly<{
  mode: AgentMode;
  model: string | undefined;
  /** The family's own program. */
  own: string;
  /** What the process is given besides. */
  env: Readonly<Record<string, string>>;
}>;

type AcpAddition = Readonly<{ args: readonly string[]; env: Readonly<Record<string, string>> }>;

export type FamilyFacts = Readonly<{
  /** The program of its own, looked for on PATH. */
  program: string;
  /** What speaks ACP: the program itself or an adapter, with the package that has it. */
  acp: Readonly<{
    program: string;
    args: readonly string[];
    adapter?: Readonly<{ package: string; version: string }>;
    /** What one run adds: its model, and the person's own binary where the adapter would bring another. */
    with(order: AcpOrder): AcpAddition;
    /** How long an old session must be left alone, in ms, when it was last opened at that time. */
    restMs?(openedAt: number, now: number): number;
  }>;
  /** The prompt goes through stdin, so that no prompt can be read as a flag. */
  exec(order: Order): CommandLine;
  reader(before: Usage | undefined): FrameReader;
  /** Variables of the hub's environment that it needs: its own keys and settings. */
  env: RegExp;
}>;

export type NamedFamily = Exclude<Family, 'acp' | 'command'>;

const MINUTE = 60_000;
/** Gemini's relauncher ignores signals and doubles its memory. */
const NO_RELAUNCH = { GEMINI_CLI_NO_RELAUNCH: 'true' };

export const FAMILY_FACTS: Readonly<Record<NamedFamily, FamilyFacts>> = {
  claude: {
    program: 'claude',
    acp: {
      program: 'claude-agent-acp',
      args: [],
      adapter: { package: '@agentclientprotocol/claude-agent-acp', version: '0.99.1' },
      with: ({ model, own }) => ({
        args: [],
        env: { CLAUDE_CODE_EXECUTABLE: own, ...(model !== undefined && { ANTHROPIC_MODEL: model }) },
      }),
    },
    exec: ({ prompt, mode, model, resume, hub }) => ({
      args: [
        '-p',
        '--output-format',
        'stream-json',
        '--verbose',
        ...{ safe: [], edit: ['--permission-mode', 'acceptEdits'], full: ['--dangerously-skip-permissions'] }[
          mode
        ],
        ...(model === undefined ? [] : ['--model', model]),
        ...(resume === undefined ? [] : ['--resume', resume]),
        ...(hub ? ['--mcp-config', JSON.stringify({ mcpServers: { holdfast: claudeServer(hub) } })] : []),
        ...(hub ? ['--allowedTools', 'mcp__holdfast'] : []),
      ],
      input: prompt,
      env: {},
    }),
    reader: (before) => createClaudeReader({ costUsd: before?.costUsd ?? 0 }),
    env: /^(ANTHROPIC_|CLAUDE_(?!CODE_(ENTRYPOINT|EXECPATH|SESSION_ID|SSE_PORT)$)|AWS_|VERTEX_|IS_SANDBOX$)/,
  },
  codex: {
    program: 'codex',
    acp: {
      program: 'codex-acp',
      args: [],
      adapter: { package: '@agentclientprotocol/codex-acp', version: '2.6.0' },
      with: ({ model, own, env }) => ({
        args: [],
        env: { CODEX_PATH: own, ...(model !== undefined && withSettings(env, 'CODEX_CONFIG', { model })) },
      }),
    },
    // A sandbox is always named: a directory that was trusted once would otherwise silently be writable.
    exec: ({ prompt, mode, model, resume, hub }) => ({
      args: [
        'exec',
        ...(resume === undefined ? [] : ['resume', resume]),
        '--json',
        '--skip-git-repo-check',
        ...{
          safe: ['-s', 'read-only'],
          edit: ['-s', 'workspace-write'],
          full: ['--dangerously-bypass-approvals-and-sandbox'],
        }[mode],
        ...(model === undefined ? [] : ['-m', model]),
        ...(hub ? ['-c', codexServer(hub)] : []),
        '-',
      ],
      input: prompt,
      env: { ...(hub && { HOLDFAST_MCP_TOKEN: hub.token }) },
    }),
    reader: (before) => createCodexReader(before),
    env: /^(OPENAI_|CODEX_)/,
  },
  gemini: {
    program: 'gemini',
    acp: {
      program: 'gemini',
      args: ['--acp', '--skip-trust'],
      with: ({ model }) => ({ args: model === undefined ? [] : ['-m', model], env: NO_RELAUNCH }),
      // It names the record of a session by the minute: opened again within the same one, it wipes what was
      // said.
      restMs: (openedAt, now) =>
        Math.floor(openedAt / MINUTE) === Math.floor(now / MINUTE) ? MINUTE - (now % MINUTE) : 0,
    },
    exec: ({ prompt, mode, model, resume }) => ({
      args: [
        '-o',
        'stream-json',
        '--skip-trust',
        ...{ safe: [], edit: ['--approval-mode', 'auto_edit'], full: ['--yolo'] }[mode],
        ...(model === undefined ? [] : ['-m', model]),
        ...(resume === undefined ? [] : ['--resume', resume]),
      ],
      input: prompt,
      env: NO_RELAUNCH,
    }),
    reader: () => createGeminiReader(),
    env: /^(GEMINI_|GOOGLE_)/,
  },
  opencode: {
    program: 'opencode',
    acp: {
      program: 'opencode',
      args: ['acp'],
      with: ({ mode, model, env }) => ({
        args: [],
        env: withSettings(env, 'OPENCODE_CONFIG_CONTENT', {
          ...opencodeConfig(mode, undefined),
          ...(model !== undefined && { model }),
        }),
      }),
    },
    // Its default is to allow everything, so the safe mode has to say otherwise.
    exec: ({ prompt, mode, model, resume, hub }) => ({
      args: [
        'run',
        '--format',
        'json',
        ...(mode === 'full' ? ['--auto'] : []),
        ...(model === undefined ? [] : ['-m', model]),
        ...(resume === undefined ? [] : ['--session', resume]),
      ],
      input: prompt,
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(opencodeConfig(mode, hub)) },
    }),
    reader: () => createOpencodeReader(),
    env: /^(OPENCODE_|ANTHROPIC_|OPENAI_|GEMINI_|GOOGLE_|OPENROUTER_)/,
  },
};

/** Settings as JSON in a variable, beside those that config.yaml put there. */
function withSettings(
  env: Readonly<Record<string, string>>,
  name: string,
  settings: object,
): Record<string, string> {
  const before = parseObject(env[name] ?? '') ?? {};
  return { [name]: JSON.stringify({ ...before, ...settings }) };
}

export function isNamed(family: Family): family is NamedFamily {
  return family !== 'acp' && family !== 'command';
}

function claudeServer({ url, token }: HubAttachment) {
  return { type: 'http', url, headers: { Authorization: `Bearer ${token}` } };
}

function codexServer({ url }: HubAttachment): string {
  const entries = [
    `url=${JSON.stringify(url)}`,
    'bearer_token_env_var="HOLDFAST_MCP_TOKEN"',
    'default_tools_approval_mode="approve"',
  ];
  return `mcp_servers.holdfast={${entries.join(',')}}`;
}

function opencodeConfig(mode: AgentMode, hub: HubAttachment | undefined) {
  const permission = { safe: { bash: 'ask', edit: 'ask' }, edit: { bash: 'ask', edit: 'allow' }, full: {} }[
    mode
  ];
  const mcp = hub && {
    holdfast: {
      type: 'remote',
      url: hub.url,
      headers: { Authorization: `Bearer ${hub.token}` },
      oauth: false,
    },
  };
  return { permission, ...(mcp && { mcp }) };
}

const PLACE = '{prompt}';
/** The kernel takes 128 KB per argument; what is larger goes through stdin or not at all. */
export const MOST_IN_ARGUMENT = 100 * 1024;

/** `family: command`: the prompt where `{prompt}` stands, else on stdin. */
export function commandLine({ command = [] }: Pick<AgentSettings, 'command'>, prompt: string): CommandLine {
  const isPlaced = command.some((part) => part.includes(PLACE));
  return {
    args: command.slice(1).map((part) => part.replaceAll(PLACE, () => prompt)),
    input: isPlaced ? '' : prompt,
    env: {},
  };
}

export function takesPromptAsArgument({ command = [] }: Pick<AgentSettings, 'command'>): boolean {
  return command.some((part) => part.includes(PLACE));
}

export function readerFor(family: Family, before: Usage | undefined): FrameReader {
  return isNamed(family) ? FAMILY_FACTS[family].reader(before) : createPlainReader();
}
