import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pause } from '../src/kernel/clock.ts';
import { hammer } from './load.ts';
import { freshFolder, residentOf, root, startHub, startMeasured } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Starting, and standing idle';

const ROUNDS = 9;
const LIST = '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n';
const OPEN = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '0' } },
})}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n${LIST}`;

export async function measure(): Promise<readonly Row[]> {
  const database = join(freshFolder(), 'holdfast.db');
  const env = { HOLDFAST_HOME: freshFolder(), CLAWBOO_DB_PATH: database };
  const bin = `${root}dist/bin/clawboo-mcp-tasks.js`;
  const bare = `${root}bench/baselines/bare-stdio.mjs`;
  await firstList(bin, env);
  const alone: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    baseline.push(await firstList(bare, env));
    alone.push(await firstList(bin, env));
  }
  const hub = await startHub({ HOLDFAST_HOME: env.HOLDFAST_HOME, CLAWBOO_DB_PATH: database });
  const beside: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    baseline.push(await firstList(bare, env));
    beside.push(await firstList(bin, env));
  }
  const hook = [`${root}dist/bin/holdfast.js`, 'hooks', 'run', 'claude-code'];
  const [hooks, starts]: [number[], number[]] = [[], []];
  await untilGone(hook, env);
  for (let round = 0; round < ROUNDS; round += 1) {
    starts.push(await untilGone(['-e', '0'], env));
    hooks.push(await untilGone(hook, env));
  }
  const idle = await startMeasured(`${root}bench/baselines/idle.mjs`);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const [hubMemory, idleMemory] = [await hub.memory(), await idle.memory()];
  await Promise.all([hub.stop(), idle.stop()]);
  const left = await memoryOfSessionsLeft();
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const mb = (value: number) => `${(value / 1024).toFixed(0)} MB`;
  const base = median(baseline);
  return [
    {
      what: 'stdio server beside a hub, spawn to tools/list',
      ours: ms(median(beside)),
      baseline: ms(base),
      ratio: median(beside) / base,
      hold: atMost(1.5),
    },
    {
      what: 'stdio server alone, spawn to tools/list',
      ours: ms(median(alone)),
      baseline: ms(base),
      ratio: median(alone) / base,
      hold: atMost(4.5),
    },
    {
      what: 'a hook of a client beside a hub, against a bare `node -e 0`',
      ours: ms(median(hooks)),
      baseline: ms(median(starts)),
      ratio: median(hooks) / median(starts),
      hold: atMost(2.2),
    },
    {
      what: 'hub at rest, resident memory',
      ours: mb(hubMemory),
      baseline: mb(idleMemory),
      ratio: hubMemory / idleMemory,
      hold: atMost(2.4),
    },
    {
      what: `resident memory after ${SESSIONS.toLocaleString('en')} sessions that were opened and left, above before`,
      ours: mb(left),
      baseline: '40 MB',
      ratio: left / 1024 / 40,
      hold: atMost(1),
    },
  ];
}

const SESSIONS = 3_000;
/** In which a hub gives back what it does not need. */
const QUIET_MS = 6_000;

/** In KB, as the system sees it: nobody asks the hub to collect anything. */
async function memoryOfSessionsLeft(): Promise<number> {
  const hub = await startHub();
  const open = (total: number) =>
    hammer({
      url: `${hub.address}/mcp`,
      total,
      inFlight: 16,
      headers: { accept: 'application/json, text/event-stream' },
      body: () => OPEN.split('\n')[0]!,
      check: (text) => {
        if (!text.includes('serverInfo')) throw new Error(`no session: ${text.slice(0, 200)}`);
      },
    });
  // What is built for the first of them is not of those that follow.
  await open(50);
  await pause(QUIET_MS);
  const before = residentOf(hub.pid);
  await open(SESSIONS);
  await pause(QUIET_MS);
  const after = residentOf(hub.pid);
  await hub.stop();
  return after - before;
}

const EVENT = JSON.stringify({ hook_event_name: 'PostToolUse', session_id: 'bench', cwd: root });

/** Milliseconds from spawn to the end of a process that is given a hook's event. */
async function untilGone(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(EVENT);
  await once(child, 'exit');
  return performance.now() - started;
}

/** Milliseconds from spawn to the answer to tools/list. */
async function firstList(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.write(OPEN);
  let said = '';
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (/"id":2\b.*\n/.test(said)) break;
  }
  const elapsed = performance.now() - started;
  // As clients end their servers: by the end of their input.
  const gone = once(child, 'exit');
  child.stdin.end();
  await gone;
  return elapsed;
}
