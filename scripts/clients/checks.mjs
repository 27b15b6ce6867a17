// What each client is asked to do. Every check connects through `holdfast connect`, so the settings it writes are proven, too.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findTool } from '../../test/clients/mocks/mock-server.mjs';
import { briefChecks } from './brief-checks.mjs';
import { expect, PATIENCE } from './expect.mjs';
import { guardChecks } from './guard-checks.mjs';
import { hookChecks } from './hook-checks.mjs';
import { runChecks } from './run-checks.mjs';
import { TURNS } from './turns.mjs';
import { wakeChecks } from './wake-checks.mjs';

const TOOL = 'tasks__create_task';

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
        const list = await run('mcp-inspector', [
          ...common,
          '--protocol-era',
          era,
          '--strict',
          '--method',
          'tools/list',
        ]);
        expect(list.code === 0 && list.said.includes(TOOL), `strict tools/list (${era})`, list);
        const call = [
          '--method',
          'tools/call',
          '--tool-name',
          TOOL,
          '--tool-arg',
          `title=made by the inspector, ${era}`,
        ];
        const made = await run('mcp-inspector', [...common, '--protocol-era', era, ...call]);
        expect(
          made.code === 0 && made.said.includes(`made by the inspector, ${era}`),
          `tools/call (${era})`,
          made,
        );
      }
    },
  },
  {
    name: 'Claude Code: connects over stdio and HTTP',
    async run({ run, holdfast }) {
      await connected(holdfast, 'claude-code', 'hub', 'stdio');
      await connected(holdfast, 'claude-code', 'tasks', 'http');
      const { said } = await run('claude', ['mcp', 'list']);
      for (const id of ['holdfast', 'clawboo-tasks'])
        expect(new RegExp(`${id}:.*Connected`).test(said), `${id} is connected`, { said });
    },
  },
  { name: 'Claude Code: a whole turn calls a tool', run: (stage) => wholeTurn(stage, 'claude-code') },
  {
    name: 'Claude Code: two sessions at once are two agents of one project',
    async run(stage) {
      await connected(stage.holdfast, 'claude-code', 'hub', 'stdio');
      const names = await Promise.all([nameTold(stage), nameTold(stage)]);
      expect(names.toSorted().join() === 'claude-code,claude-code-2', 'two names', { said: names.join() });
    },
  },
  { name: 'Codex: a whole turn calls a tool', run: (stage) => wholeTurn(stage, 'codex') },
  {
    name: 'Codex: adds a server by its address and is asked for no login',
    async run({ run, address }) {
      const { said } = await run('codex', ['mcp', 'add', 'board', '--url', `${address}/api/mcp/tasks`]);
      expect(/Added/.test(said) && !/OAuth|login/i.test(said), 'added without a login', { said });
    },
  },
  {
    name: 'Gemini CLI: connects, and a whole turn calls a tool',
    async run(stage) {
      await wholeTurn(stage, 'gemini');
      const list = await stage.run('gemini', ['mcp', 'list'], { extra: { GEMINI_API_KEY: 'dummy' } });
      expect(/holdfast.*Connected/.test(list.said), 'gemini mcp list shows it connected', list);
    },
  },
  { name: 'OpenCode: a whole turn calls a tool', run: (stage) => wholeTurn(stage, 'opencode') },
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
  ...guardChecks,
  ...hookChecks,
  ...briefChecks,
  ...wakeChecks,
  ...runChecks,
];

/** The client asks its model, the model asks for our tool, the task is on the board, and its result reaches the model. */
async function wholeTurn(stage, client) {
  const { startModel, prepare, take } = TURNS[client];
  await connected(stage.holdfast, client, 'hub', 'stdio');
  prepare?.(stage);
  const title = `made by ${client}`;
  const mock = await startModel({ tool: TOOL, args: { title }, lastWord: 'It is on the board.' });
  try {
    const ask = () => take(stage, { mock, prompt: `Put a task called "${title}" on the board.`, tool: TOOL });
    const wasOffered = () => mock.seen.some(({ body }) => findTool(body, TOOL));
    let result = await ask();
    for (let tries = 1; tries < PATIENCE && !wasOffered(); tries += 1) result = await ask();
    expect(wasOffered(), 'the tool was offered to the model', result);
    expect((await stage.titles()).includes(title), 'the task is on the board', result);
    const isTold = mock.seen.some(
      ({ body }) =>
        JSON.stringify(body ?? '').includes('assigneeAgentId') && JSON.stringify(body).includes(title),
    );
    expect(isTold, 'the result reached the model', result);
  } finally {
    await mock.close();
  }
}

/** What `whoami` told the model of one session. The model thinks for a while, so that sessions started together overlap. */
async function nameTold(stage) {
  const { startModel, take } = TURNS['claude-code'];
  const mock = await startModel({
    tool: 'whoami',
    args: {},
    lastWord: 'So that is who I am.',
    thinkMs: 5_000,
  });
  try {
    const result = await take(stage, { mock, prompt: 'Who are you here?', tool: 'whoami' });
    const told = mock.seen
      .map(({ body }) => /"agent\\*": ?\\*"([\w-]+)/.exec(JSON.stringify(body ?? ''))?.[1])
      .find(Boolean);
    expect(told !== undefined, 'whoami reached the model', result);
    return told;
  } finally {
    await mock.close();
  }
}

async function connected(holdfast, client, server, transport) {
  const result = await holdfast('connect', client, '--server', server, '--transport', transport);
  expect(result.code === 0, `holdfast connect ${client}`, result);
}
