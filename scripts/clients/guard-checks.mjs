// The pre-commit hook of `holdfast hooks git` under the real clients: what their own shell tool commits is known for an agent's.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from './expect.mjs';
import { TURNS } from './turns.mjs';

/** The shell tool of each client, how it is asked to run without a question, and the mark it leaves on what it starts. */
const SHELLS = {
  'claude-code': { tool: 'Bash', mark: 'CLAUDECODE' },
  codex: {
    tool: 'exec_command',
    argument: 'cmd',
    mark: 'CODEX_THREAD_ID',
    flags: ['--dangerously-bypass-approvals-and-sandbox'],
  },
  // Its shell switches off the hooks of git, whoever's they are: nothing can refuse a commit there.
  gemini: { tool: 'run_shell_command', mark: 'GEMINI_CLI', hasHooks: false },
  opencode: { tool: 'bash', mark: 'OPENCODE', more: { description: 'commits' } },
};

const GIT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
};

export const guardChecks = Object.entries(SHELLS).map(
  ([client, { tool, argument = 'command', mark, flags, more, hasHooks = true }]) => ({
    name: `${client}: a commit of reserved files ${hasHooks ? 'is refused' : 'meets no hook'} in its shell`,
    async run(stage) {
      const { folder } = stage;
      const git = (...args) => execFileSync('git', args, { cwd: folder, env: { ...process.env, ...GIT } });
      git('init', '-q');
      mkdirSync(join(folder, 'src'));
      writeFileSync(join(folder, 'src', 'keel.ts'), 'oak\n');
      git('add', '.');
      const hooked = await stage.holdfast('hooks', 'git', '--yes');
      expect(hooked.code === 0, 'holdfast hooks git', hooked);
      await reserve(stage, 'src/**');
      const { startModel, prepare, take } = TURNS[client];
      await stage.holdfast('connect', client, '--server', 'hub', '--transport', 'stdio');
      prepare?.(stage);
      const command = 'env > env.txt; git commit -q -m keel 2> err.txt; echo $? > code.txt';
      const mock = await startModel({ tool, args: { [argument]: command, ...more }, lastWord: 'Tried.' });
      let result;
      try {
        result = await take(stage, { mock, prompt: 'Commit.', allowed: tool, extra: GIT, flags });
      } finally {
        await mock.close();
      }
      const code = readIn(folder, 'code.txt').trim();
      expect(code === (hasHooks ? '1' : '0'), `${client} ran git commit: ${code}`, result);
      const said = readIn(folder, 'err.txt');
      expect(said.includes('holdfast: refused') === hasHooks, 'the hook said why', { said });
      const env = readIn(folder, 'env.txt');
      expect(new RegExp(`^${mark}=.`, 'm').test(env), `what ${client} starts has ${mark}`, { said: env });
    },
  }),
);

async function reserve(stage, pattern) {
  const added = JSON.parse((await stage.holdfast('board', 'add', 'Lay the keel', '--json')).said);
  await stage.holdfast('board', 'claim', added.id, '--as', 'ada');
  const answer = await fetch(`${stage.address}/api/reservations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      taskId: added.id,
      agentId: 'ada',
      patterns: [pattern],
      root: stage.folder,
      reason: 'laying it',
    }),
  });
  expect(answer.ok, 'the files are reserved', { said: await answer.text() });
}

function readIn(folder, name) {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return '';
  }
}
