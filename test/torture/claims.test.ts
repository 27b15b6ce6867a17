import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { eachEngine, freshPlace, type Engine } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { startStdio } from '../fixtures/stdio-client.ts';
import { claimRace, fillBoard } from './claim-race.ts';

async function environment(engine: Engine, extra: Record<string, string> = {}): Promise<NodeJS.ProcessEnv> {
  const { location, schema } = await freshPlace(engine);
  return freshHome({
    ...(schema
      ? { HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema }
      : { CLAWBOO_DB_PATH: location }),
    ...extra,
  });
}

eachEngine('claims from several processes', (engine) => {
  it('are each made once, without a busy error, and nobody goes short', { timeout: 240_000 }, async () => {
    const env = await environment(engine);
    const hub = await startHub(env);
    // Long enough that a process the machine holds up for a moment catches up.
    const tasks = 1_000;
    await fillBoard(hub.address, tasks);
    const race = await claimRace(builtBin('clawboo-mcp-tasks'), 8, env);
    expect(race).toMatchObject({ claims: tasks, distinct: tasks, refusals: 0 });
    expect(race.leastShare).toBeGreaterThan(0.25);
  });

  it('of a process that was stopped and woke up too late are refused', { timeout: 120_000 }, async () => {
    const env = await environment(engine, { HOLDFAST_LEASE: '1s' });
    await startHub(env);
    const bob = await startStdio(env, 'clawboo-mcp-tasks', ['--profile', 'extended']);
    await bob.call('create_task', { title: 'contested' });
    const script = fileURLToPath(new URL('zombie.ts', import.meta.url));
    const zombie = fork(script, [builtBin('clawboo-mcp-tasks')], {
      env,
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    onTestFinished(() => void zombie.kill('SIGKILL'));
    const [claimed] = (await once(zombie, 'message')) as [{ taskId: string; fence: number }];
    zombie.kill('SIGSTOP');
    zombie.send('finish it');
    const takeOver = async () =>
      (await bob.call('claim_task', { taskId: claimed.taskId, assigneeAgentId: 'bob' })).structuredContent;
    await expect
      .poll(takeOver, { timeout: 30_000, interval: 300 })
      .toMatchObject({ fence: expect.any(Number), assigneeAgentId: 'bob' });
    const late = once(zombie, 'message') as Promise<[{ isError: boolean; code: string; holder: string }]>;
    zombie.kill('SIGCONT');
    expect((await late)[0]).toMatchObject({ isError: true, code: 'stale_fence' });
    const { task } = (await bob.call('get_task', { taskId: claimed.taskId })).structuredContent as {
      task: { assigneeAgentId: string; status: string };
    };
    expect(task).toMatchObject({ assigneeAgentId: 'bob', status: 'in_progress' });
  });
});
