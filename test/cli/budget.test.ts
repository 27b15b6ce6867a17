import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { claudeLine } from '../fixtures/claude-lines.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { limitedAgent } from '../fixtures/limited-agent.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Window = Readonly<{ agent: string; window: string; tokens: number; from: string; limit: unknown }>;

it('budget counts what a person used in sessions of their own, and says what is left', async () => {
  const home = freshFolder();
  const folder = newRepositoryWithCommit(join(home, 'boat'));
  const at = join(home, '.claude/projects/-boat');
  mkdirSync(at, { recursive: true });
  const say = (tokens: number) =>
    claudeLine({ session: 'mine', folder, text: 'ask' }) +
    claudeLine({
      session: 'mine',
      folder,
      text: 'answer',
      role: 'assistant',
      usage: { input_tokens: tokens - 1, output_tokens: 1 },
    });
  writeFileSync(join(at, 'mine.jsonl'), say(600));
  const env = freshHome({ HOME: home });
  const agent = limitedAgent('ok');
  const claude = {
    ...agent.settings,
    budget: { '5h': { tokens: '1k' }, week: { tokens: '30k', dollars: 5 } },
  };
  const settings = { agents: { claude }, sessions: { from: ['claude-code'] } };
  writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify(settings));
  await startHub(env);
  const { run, json } = openTerminal(undefined, env, folder);
  await json('sessions', 'sync');
  const now = async () => {
    const { windows } = await json<{ windows: Window[] }>('budget');
    return windows.filter(({ agent }) => agent === 'claude');
  };
  const limit = { tokens: 1_000, dollars: null };
  const first = { agent: 'claude', window: '5h', tokens: 600, limit, from: 'sessions' };
  expect((await now())[0]).toMatchObject(first);
  expect((await now()).map(({ window }) => window)).toEqual(['5h', 'day', 'week']);
  expect(Object.keys((await now())[0]!).toSorted()).toEqual(
    ['agent', 'window', 'tokens', 'dollars', 'limit', 'resetsAt', 'from'].toSorted(),
  );
  expect((await run('budget')).out).toMatch(/claude +5h +600 +\$0\.00 +1k +400 .* sessions/);
  appendFileSync(join(at, 'mine.jsonl'), say(700));
  await json('sessions', 'sync');
  expect((await now())[0]).toMatchObject({ tokens: 1_300 });
  expect((await run('budget')).out).toMatch(/claude +5h +1\.3k .* nothing /);
  // What is used up keeps the hub from starting more of it.
  const { task_id: id } = await json<{ task_id: string }>('send', 'claude', 'x', '--async');
  await expect
    .poll(async () => (await json<any>('runs', 'show', id)).run, { timeout: 30_000 })
    .toMatchObject({ status: 'active', phase: 'waiting_quota', waits_for: { kind: 'budget' } });
  expect(agent.starts()).toEqual([]);
});
