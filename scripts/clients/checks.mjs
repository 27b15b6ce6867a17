// What each client is asked to do. Every check connects through `holdfast connect`, so the settings it writes are proven, too.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startAnthropic } from '../../test/clients/mocks/anthropic.mjs';
import { startGoogle } from '../../test/clients/mocks/google.mjs';
import { findTool } from '../../test/clients/mocks/mock-server.mjs';
import { startOpenai } from '../../test/clients/mocks/openai.mjs';

const TOOL = 'tasks__create_task';
const PATIENCE = 5;

export const checks = [
  {
    name: 'Inspector CLI: strict tools/list and a call, both eras',
    async run({ run, address, home }) {
      const token = readFileSync(join(home, '.holdfast', 'token'), 'utf8').trim();
      const common = [
        '--cli',
        `${address}/mcp`,
        '--transport',
        'http',
        '--header',
        `Authorization: Bearer ${token}`,
        '--format',
        'json',
        '-q',
      ];
      for (const era of ['modern', 'legacy']) {
        const list = await run('mcp-inspector', [...common, '--protocol-era', era, '--strict', '--method', 'tools/list']);
        expect(list.code === 0 && list.said.includes(TOOL), `strict tools/list (${era})`, list);
        const call = ['--method', 'tools/call', '--tool-name', TOOL, '--tool-arg', `title=made by the inspector, ${era}`];
        const made = await run('mcp-inspector', [...common, '--protocol-era', era, ...call]);
        expect(made.code === 0 && made.said.includes(`made by the inspector, ${era}`), `tools/call (${era})`, made);
      }
    },
  },
  {
    name: 'Claude Code: connects over stdio and HTTP',
    async run({ run, holdfast }) {
      await connected(holdfast, 'claude-code', 'hub', 'stdio');
      await connected(holdfast, 'claude-code', 'tasks', 'http');
      const { said } = await run('claude', ['mcp', 'list']);
      for (const id of ['holdfast', 'clawboo-tasks']) expect(new RegExp(`${id}:.*Connected`).test(said), `${id} is connected`, { said });
    },
  },
  {
    name: 'Claude Code: a whole turn calls a tool',
    run: (stage) =>
      wholeTurn(stage, 'claude-code', startAnthropic, (mock, prompt) =>
        stage.run('claude', ['-p', prompt, '--allowedTools', `mcp__holdfast__${TOOL}`, '--output-format', 'json'], {
          extra: { ANTHROPIC_BASE_URL: mock.url, ANTHROPIC_API_KEY: 'dummy', ENABLE_TOOL_SEARCH: 'false' },
        }),
      ),
  },
  {
    name: 'Codex: a whole turn calls a tool',
    run: (stage) =>
      wholeTurn(stage, 'codex', startOpenai, (mock, prompt) => {
        const provider = `model_providers.mock={name="mock",base_url="${mock.url}/v1",env_key="MOCK_KEY",wire_api="responses"}`;
        const settings = ['model_provider=mock', provider, 'mcp_servers.holdfast.default_tools_approval_mode="approve"'];
        // A model Codex does not know is offered MCP tools one by one; its newest ones reach them through a script of their own.
        const args = [
          'exec',
          '--skip-git-repo-check',
          '--json',
          '-m',
          'mock-model',
          ...settings.flatMap((setting) => ['-c', setting]),
          prompt,
        ];
        return stage.run('codex', args, { extra: { MOCK_KEY: 'dummy', CODEX_HOME: join(stage.home, '.codex') } });
      }),
  },
  {
    name: 'Gemini CLI: connects, and a whole turn calls a tool',
    async run(stage) {
      const settings = join(stage.home, '.gemini');
      mkdirSync(settings, { recursive: true });
      writeFileSync(join(settings, 'trustedFolders.json'), JSON.stringify({ [stage.folder]: 'TRUST_FOLDER' }));
      writeFileSync(join(settings, 'settings.json'), JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } }));
      const key = { GEMINI_API_KEY: 'dummy' };
      await wholeTurn(stage, 'gemini', startGoogle, (mock, prompt) =>
        stage.run(
          'gemini',
          ['-m', 'gemini-2.5-flash', '-p', prompt, '--yolo', '--output-format', 'json', '--allowed-mcp-server-names', 'holdfast'],
          {
            extra: { ...key, GOOGLE_GEMINI_BASE_URL: mock.url },
          },
        ),
      );
      const list = await stage.run('gemini', ['mcp', 'list'], { extra: key });
      expect(/holdfast.*Connected/.test(list.said), 'gemini mcp list shows it connected', list);
    },
  },
  {
    name: 'OpenCode: connects over stdio and HTTP',
    async run({ run, holdfast }) {
      await connected(holdfast, 'opencode', 'hub', 'stdio');
      await connected(holdfast, 'opencode', 'memory', 'http');
      const { said } = await run('opencode', ['mcp', 'list']);
      for (const id of ['holdfast', 'clawboo-memory'])
        expect(new RegExp(`${id}\\S*\\s+\\S*connected`).test(said), `${id} is connected`, { said });
    },
  },
];

/** The client asks its model, the model asks for our tool, the task is on the board, and its result reaches the model. */
async function wholeTurn({ holdfast, titles }, client, start, turn) {
  await connected(holdfast, client, 'hub', 'stdio');
  const title = `made by ${client}`;
  const mock = await start({ tool: TOOL, args: { title }, lastWord: 'It is on the board.' });
  try {
    const ask = () => turn(mock, `Put a task called "${title}" on the board.`);
    const wasOffered = () => mock.seen.some(({ body }) => findTool(body, TOOL));
    let result = await ask();
    // On a busy machine a client may ask its model before its servers have answered; only then is it asked again.
    for (let tries = 1; tries < PATIENCE && !wasOffered(); tries += 1) result = await ask();
    expect(wasOffered(), 'the tool was offered to the model', result);
    expect((await titles()).includes(title), 'the task is on the board', result);
    const isTold = mock.seen.some(
      ({ body }) => JSON.stringify(body ?? '').includes('assigneeAgentId') && JSON.stringify(body).includes(title),
    );
    expect(isTold, 'the result reached the model', result);
  } finally {
    await mock.close();
  }
}

async function connected(holdfast, client, server, transport) {
  const result = await holdfast('connect', client, '--server', server, '--transport', transport);
  expect(result.code === 0, `holdfast connect ${client}`, result);
}

function expect(isTrue, what, { said }) {
  if (!isTrue) throw new Error(`${what}: no.\n${said.slice(-4000)}`);
}
