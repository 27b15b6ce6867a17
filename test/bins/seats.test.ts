import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { builtBin } from '../fixtures/built.ts';
import { startStdio, type StdioClient } from '../fixtures/stdio-client.ts';

const LEASE_MS = 2_000;
const HOME = { HOLDFAST_LEASE: `${LEASE_MS}ms` };

const errorOf = async (client: StdioClient, tool: string, args: object) =>
  (await client.call(tool, args)).structuredContent['error'];

it(
  'a claim is kept by the living process beside a hub with a lease that only the hub knows',
  { timeout: 60_000 },
  async () => {
    const env = freshHome();
    await startHub(env, ['--port', '0', '--lease', `${LEASE_MS}ms`]);
    const [ann, bob] = [await startStdio(env), await startStdio(env)];
    const taskId = (await ann.call('create_task', { title: 'a long build' })).structuredContent['id'];
    await ann.call('claim_task', { taskId, assigneeAgentId: 'ann' });
    await pause(2.5 * LEASE_MS);
    expect(await errorOf(bob, 'claim_task', { taskId, assigneeAgentId: 'bob' })).toBe(
      'claim failed: conflict',
    );
    expect(
      (await ann.call('update_task_status', { taskId, status: 'done' })).structuredContent['status'],
    ).toBe('done');
  },
);

describe.each(['alone', 'beside a hub'])('a claim of a stdio process %s', (standing) => {
  const begin = async (more: object = {}) => {
    const env = freshHome({ ...HOME, ...more });
    const hub = standing === 'alone' ? undefined : await startHub(env);
    const [ann, bob] = [await startStdio(env), await startStdio(env)];
    const taskId = (await ann.call('create_task', { title: 'a long build' })).structuredContent['id'];
    await ann.call('claim_task', { taskId, assigneeAgentId: 'ann' });
    const claimedByBob = () => errorOf(bob, 'claim_task', { taskId, assigneeAgentId: 'bob' });
    return { env, hub, ann, bob, taskId, claimedByBob };
  };

  it('is kept by the living process through a build of many leases', { timeout: 60_000 }, async () => {
    const { ann, taskId, claimedByBob } = await begin();
    await pause(3 * LEASE_MS);
    expect(await claimedByBob()).toBe('claim failed: conflict');
    expect(
      (await ann.call('update_task_status', { taskId, status: 'done' })).structuredContent['status'],
    ).toBe('done');
  });

  it('is not kept for longer than the longest silence', { timeout: 60_000 }, async () => {
    const { claimedByBob } = await begin({ HOLDFAST_CLAIMS_LONGEST: '3s' });
    await pause(5_000);
    expect(await claimedByBob()).toBeUndefined();
  });

  it(
    'lapses while the process is stopped, and the process learns so when it goes on',
    { timeout: 60_000 },
    async () => {
      const { ann, taskId, claimedByBob } = await begin();
      process.kill(ann.pid, 'SIGSTOP');
      await pause(2 * LEASE_MS);
      expect(await claimedByBob()).toBeUndefined();
      process.kill(ann.pid, 'SIGCONT');
      expect(await errorOf(ann, 'update_task_status', { taskId, status: 'done' })).toBe(
        'status change failed: stale_fence',
      );
    },
  );

  it(
    'goes to who names the holder once the process is gone, and not before',
    { timeout: 60_000 },
    async () => {
      const { ann, bob, taskId } = await begin({ HOLDFAST_LEASE: '10m' });
      const finish = () =>
        errorOf(bob, 'update_task_status', { taskId, status: 'in_review', agentId: 'ann' });
      expect(await finish()).toBe('status change failed: not_holder');
      await ann.kill();
      await expect.poll(finish, { timeout: 20_000 }).toBeUndefined();
    },
  );
});

it(
  'a hub that is killed between claim and finish changes nothing about who holds the task',
  { timeout: 90_000 },
  async () => {
    const env = freshHome({ HOLDFAST_LEASE: '10m' });
    const hub = await startHub(env);
    const [ann, bob] = [await startStdio(env), await startStdio(env)];
    const taskId = (await ann.call('create_task', { title: 'a' })).structuredContent['id'];
    await ann.call('claim_task', { taskId, assigneeAgentId: 'ann' });
    await hub.stop('SIGKILL');
    await startHub(env);
    expect(await errorOf(bob, 'update_task_status', { taskId, status: 'done' })).toBe(
      'status change failed: not_holder',
    );
    expect(
      (await ann.call('update_task_status', { taskId, status: 'done' })).structuredContent['status'],
    ).toBe('done');
  },
);

it('two clients that start at the same instant get two names', { timeout: 60_000 }, async () => {
  const env = freshHome();
  await startHub(env);
  const clients = await Promise.all(
    Array.from({ length: 4 }, () => startStdio(env, 'holdfast', ['serve'], undefined, 'codex')),
  );
  const names = clients.map(({ instructions }) => /^You are (\S+?)[.,]/.exec(instructions)?.[1]);
  expect(new Set(names)).toEqual(new Set(['codex', 'codex-2', 'codex-3', 'codex-4']));
});

it(
  'a hook of a client is known by the name of its connection, and brings the mail of its folder as well',
  { timeout: 60_000 },
  async () => {
    const env = freshHome();
    const { address } = await startHub(env);
    // A client is a process that starts its server and runs its hooks.
    const script = `
    const { spawn, execFileSync } = require('node:child_process');
    const server = spawn(process.execPath, [process.argv[1], 'serve'], { stdio: ['pipe', 'pipe', 'inherit'] });
    server.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: {
      protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'claude-code', version: '0' } } }) + '\\n');
    server.stdout.once('data', () => {
      const input = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1', cwd: process.cwd() });
      console.log(String(execFileSync(process.execPath, [process.argv[1], 'hooks', 'run', 'claude-code'], { input })));
      process.stdin.on('end', () => process.exit(0)).resume();
    });`;
    const project = join(freshFolder(), 'reef');
    mkdirSync(project);
    runHoldfast(env, [
      'peer',
      'register',
      '--backend',
      'test',
      '--name',
      'reef-claude-code',
      '--path',
      project,
    ]);
    runHoldfast(env, ['peer', 'send', 'reef-claude-code', 'left for whoever comes']);
    const client = spawn(process.execPath, ['-e', script, builtBin('holdfast')], {
      cwd: project,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void client.kill('SIGKILL'));
    expect(String((await once(client.stdout, 'data'))[0])).toContain('left for whoever comes');
    const token = await hubTokenOf(env);
    const headers = { authorization: `Bearer ${token}` };
    const { peers } = (await (await fetch(`${address}/v1/peers`, { headers })).json()) as {
      peers: Record<string, string>[];
    };
    expect(peers.map(({ agent_id: agent, session_id: session }) => [agent, session])).toContainEqual([
      'claude-code',
      's1',
    ]);
    client.stdin.end();
    await once(client, 'exit');
  },
);

async function hubTokenOf(env: NodeJS.ProcessEnv): Promise<string> {
  const { readFileSync } = await import('node:fs');
  return readFileSync(`${env['HOLDFAST_HOME']}/token`, 'utf8').trim();
}
