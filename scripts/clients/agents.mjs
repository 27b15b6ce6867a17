// The four agents as the hub is told of them: each with its own model API on loopback, and its own way to run a command.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAnthropic } from '../../test/clients/mocks/anthropic.mjs';
import { startGoogle } from '../../test/clients/mocks/google.mjs';
import { startOpenai } from '../../test/clients/mocks/openai.mjs';
import { addSettings, TURNS } from './turns.mjs';

/** `settings` is its entry in config.yaml; `shell` is the tool through which its model runs a command. */
export const AGENTS = {
  claude: {
    startModel: startAnthropic,
    settings: ({ url }) => ({
      env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'dummy', ENABLE_TOOL_SEARCH: 'false', ...QUIET },
    }),
    shell: (command) => ({ tool: 'Bash', args: { command, description: 'a command' } }),
  },
  codex: {
    startModel: startOpenai,
    prepare({ home }, { url }) {
      mkdirSync(join(home, '.codex'), { recursive: true });
      writeFileSync(
        join(home, '.codex', 'config.toml'),
        [
          'model_provider = "mock"',
          '[model_providers.mock]',
          'name = "mock"',
          `base_url = "${url}/v1"`,
          'env_key = "OPENAI_API_KEY"',
          'wire_api = "responses"',
        ].join('\n'),
      );
    },
    // A model that Codex does not know is offered its tools one by one.
    settings: () => ({ model: 'mock-model', env: { OPENAI_API_KEY: 'dummy' } }),
    // What its sandbox lets through is not asked about, and what it does not is refused: only this asks.
    shell: (command) => ({
      tool: 'exec_command',
      args: { cmd: command, sandbox_permissions: 'require_escalated', justification: 'a test' },
    }),
  },
  gemini: {
    startModel: startGoogle,
    prepare: TURNS.gemini.prepare,
    settings: ({ url }) => ({
      model: 'gemini-2.5-flash',
      env: { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: url },
    }),
    shell: (command) => ({ tool: 'run_shell_command', args: { command, description: 'a command' } }),
  },
  opencode: {
    startModel: startAnthropic,
    prepare({ home }, { url }) {
      addSettings(join(home, '.config', 'opencode', 'opencode.json'), {
        provider: {
          mock: {
            npm: '@ai-sdk/anthropic',
            name: 'mock',
            options: { baseURL: `${url}/v1`, apiKey: 'dummy' },
            models: { 'mock-model': { name: 'mock' } },
          },
        },
        small_model: 'mock/mock-model',
      });
    },
    settings: () => ({ model: 'mock/mock-model', env: { OPENCODE_DISABLE_MODELS_FETCH: '1' } }),
    shell: (command) => ({ tool: 'bash', args: { command, description: 'a command' } }),
  },
};

const QUIET = {
  DISABLE_TELEMETRY: '1',
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
};
