// One whole turn of each client: a prompt goes in, its model is a mock on loopback, and what the model asks for is done.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startAnthropic } from '../../test/clients/mocks/anthropic.mjs';
import { startGoogle } from '../../test/clients/mocks/google.mjs';
import { startOpenai } from '../../test/clients/mocks/openai.mjs';

/** `take` runs the client with a prompt; `tool` is the name of the one tool of ours that it may call unasked. */
export const TURNS = {
  'claude-code': {
    startModel: startAnthropic,
    take: (stage, { mock, prompt, tool, allowed = `mcp__holdfast__${tool}`, extra }) =>
      stage.run('claude', ['-p', prompt, '--allowedTools', allowed, '--output-format', 'json'], {
        extra: {
          ...extra,
          ANTHROPIC_BASE_URL: mock.url,
          ANTHROPIC_API_KEY: 'dummy',
          ENABLE_TOOL_SEARCH: 'false',
        },
      }),
  },
  codex: {
    startModel: startOpenai,
    take(stage, { mock, prompt, extra, flags = [] }) {
      const provider = `model_providers.mock={name="mock",base_url="${mock.url}/v1",env_key="MOCK_KEY",wire_api="responses"}`;
      const settings = [
        'model_provider=mock',
        provider,
        'mcp_servers.holdfast.default_tools_approval_mode="approve"',
      ];
      // A model Codex does not know is offered MCP tools one by one; its newest ones reach them through a script of their own.
      const args = [
        'exec',
        '--skip-git-repo-check',
        '--json',
        '-m',
        'mock-model',
        ...flags,
        ...settings.flatMap((each) => ['-c', each]),
      ];
      return stage.run('codex', [...args, prompt], {
        extra: { ...extra, MOCK_KEY: 'dummy', CODEX_HOME: join(stage.home, '.codex') },
      });
    },
  },
  gemini: {
    startModel: startGoogle,
    prepare({ home, folder }) {
      const settings = join(home, '.gemini');
      addSettings(join(settings, 'trustedFolders.json'), { [folder]: 'TRUST_FOLDER' });
      addSettings(join(settings, 'settings.json'), {
        security: { auth: { selectedType: 'gemini-api-key' } },
      });
    },
    take(stage, { mock, prompt, extra }) {
      const model = [
        '-m',
        'gemini-2.5-flash',
        '--yolo',
        '--output-format',
        'json',
        '--allowed-mcp-server-names',
        'holdfast',
      ];
      return stage.run('gemini', [...model, '-p', prompt], {
        extra: { ...extra, GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: mock.url },
      });
    },
  },
  opencode: {
    startModel: startAnthropic,
    take(stage, { mock, prompt, extra }) {
      const options = { baseURL: `${mock.url}/v1`, apiKey: 'dummy' };
      addSettings(join(stage.home, '.config', 'opencode', 'opencode.json'), {
        provider: {
          mock: {
            npm: '@ai-sdk/anthropic',
            name: 'mock',
            options,
            models: { 'mock-model': { name: 'mock' } },
          },
        },
        small_model: 'mock/mock-model',
        permission: { '*': 'allow' },
      });
      return stage.run('opencode', ['run', '-m', 'mock/mock-model', prompt], {
        extra: { ...extra, OPENCODE_DISABLE_MODELS_FETCH: '1' },
      });
    },
  },
};

/** Puts settings beside those that are there already. */
export function addSettings(file, settings) {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...before, ...settings }));
}
