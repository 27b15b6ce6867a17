import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../src/kernel/version.ts';
import { type Carried, carry, largeRepository } from './pool-large.ts';
import { freshFolder, type Measured, residentOf, root, startHub } from './process.ts';
import { atMost, type Row } from './row.ts';

export const title = 'The pool: placing a run, a runner that waits, a thousand of them';

const TOKEN = 't'.repeat(40);
const PLACED = 50;
const WAITERS = 1_000;
/** As long as one runner waits for an answer and asks again, twice. */
const IDLE_MS = 50_000;

export async function measure(): Promise<readonly Row[]> {
  // Before there is a hub: nothing else goes on meanwhile.
  const repository = largeRepository();
  const hub = await startHub({ HOLDFAST_HOME: freshFolder(), HOLDFAST_TOKEN: TOKEN });
  const placed = await cpuPerPlacedRun(hub);
  const idle = await idleRunner(hub);
  const large = await carryLarge(hub, repository);
  const many = await idleRunners(hub);
  await hub.stop();
  const share = (value: number) => `${(value * 100).toFixed(2)} %`;
  const allowed = (what: string) => `${what} allowed`;
  return [
    {
      what: 'hub CPU per run that is placed',
      ours: `${(placed / 1_000).toFixed(2)} ms`,
      baseline: allowed('10 ms'),
      ratio: placed / 10_000,
      hold: atMost(1),
    },
    {
      what: 'CPU of a runner that waits, of a core',
      ours: share(idle.share),
      baseline: allowed('0.20 %'),
      ratio: idle.share / 0.002,
      hold: atMost(1),
    },
    {
      what: 'resident memory of a runner that waits',
      ours: `${idle.mb.toFixed(1)} MB`,
      baseline: allowed('80 MB'),
      ratio: idle.mb / 80,
      hold: atMost(1),
    },
    {
      what: 'the same after it had a run',
      ours: `${idle.mbAfter.toFixed(1)} MB`,
      baseline: allowed('80 MB'),
      ratio: idle.mbAfter / 80,
      hold: atMost(1),
    },
    {
      what: `what a hub grows by while a repository of 2 GB goes to a runner (${large.seconds.toFixed(0)} s, ${large.hubCpu.toFixed(1)} s of its CPU)`,
      ours: `${large.hub.toFixed(1)} MB`,
      baseline: allowed('150 MB'),
      ratio: large.hub / 150,
      hold: atMost(1),
    },
    {
      what: 'resident in the git that it starts for that, the files that it maps included',
      ours: `${large.git.toFixed(1)} MB`,
      baseline: '2,048 MB of files',
      ratio: large.git / 2_048,
    },
    {
      what: `hub CPU for ${WAITERS.toLocaleString('en')} runners that wait, of a core`,
      ours: share(many),
      baseline: allowed('5.00 %'),
      ratio: many / 0.05,
      hold: atMost(1),
    },
  ];
}

/** From a claim that is asked to the attempt that is given, while others wait in the queue. */
async function cpuPerPlacedRun(hub: Measured): Promise<number> {
  const token = await tokenFor(hub, 'placed');
  const offer = offerOf('placed', { slots: 64 });
  const has: object[] = [];
  await post(hub, '/v1/runners/claim', { token, body: { ...offer, wait_ms: 0 } });
  for (let i = 0; i < PLACED; i += 1)
    await post(hub, '/v1/send_message', { body: { instance: 'far', prompt: `run ${i}`, async: true } });
  const before = await hub.cpu();
  for (let i = 0; i < PLACED; i += 1) {
    const { body } = await post(hub, '/v1/runners/claim', { token, body: { ...offer, has, wait_ms: 5_000 } });
    const { run, attempt } = JSON.parse(body) as { run: string; attempt: number };
    has.push({ run, attempt });
  }
  return ((await hub.cpu()) - before) / PLACED;
}

async function carryLarge(hub: Measured, cwd: string): Promise<Carried> {
  const token = await tokenFor(hub, 'large');
  const offer = { ...offerOf('large', { slots: 1 }), labels: ['large'] };
  await post(hub, '/v1/runners/claim', { token, body: { ...offer, wait_ms: 0 } });
  const opts = { cwd, needs: ['large'] };
  await post(hub, '/v1/send_message', { body: { instance: 'far', prompt: 'much', async: true, opts } });
  const { body } = await post(hub, '/v1/runners/claim', { token, body: { ...offer, wait_ms: 20_000 } });
  const { git } = JSON.parse(body) as { git: { url: string } };
  return carry(hub, { url: git.url, token });
}

async function idleRunner(hub: Measured) {
  const home = freshFolder();
  writeFileSync(join(home, 'config.yaml'), CONFIG);
  writeFileSync(join(home, 'token'), await tokenFor(hub, 'idle'));
  const args = ['runner', '--hub', hub.address, '--token-file', join(home, 'token'), '--name', 'idle'];
  const child = spawn(process.execPath, [`${root}dist/bin/holdfast.js`, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, HOLDFAST_HOME: home, HOLDFAST_LOG: 'error' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  try {
    await until(async () => (await runnersOf(hub)).includes('idle'));
    const share = await shareOf(() => nanosecondsOf(child.pid!), IDLE_MS);
    const mb = residentOf(child.pid!) / 1_024;
    const sent = await post(hub, '/v1/send_message', {
      body: { instance: 'quick', prompt: 'once', async: true },
    });
    const { task_id: id } = JSON.parse(sent.body) as { task_id: string };
    await get(hub, `/v1/biam/tasks/${id}/wait?timeout_s=60`);
    // Its first quiet moments, in which it gives back.
    await sleep(10_000);
    return { share, mb, mbAfter: residentOf(child.pid!) / 1_024 };
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

async function idleRunners(hub: Measured): Promise<number> {
  const names = Array.from({ length: WAITERS }, (_, i) => `waits${i}`);
  const tokens: string[] = [];
  for (const name of names) tokens.push(await tokenFor(hub, name));
  const leaving = new AbortController();
  const waiting = names.map(async (name, i) => {
    // Not all in one moment, as machines do not begin in one either.
    await sleep((i / WAITERS) * WAIT_MS);
    const ask = { token: tokens[i]!, body: { ...offerOf(name, { slots: 2 }), wait_ms: WAIT_MS } };
    while (!leaving.signal.aborted)
      await post(hub, '/v1/runners/claim', { ...ask, signal: leaving.signal }).catch(() => undefined);
  });
  // Until each has asked once, and is known.
  await sleep(WAIT_MS + 5_000);
  const before = await hub.cpu();
  await sleep(IDLE_MS);
  const used = (await hub.cpu()) - before;
  leaving.abort();
  await Promise.all(waiting);
  return used / (IDLE_MS * 1_000);
}

const CONFIG = `agents:
  quick: { family: command, command: ["true"] }
`;
/** As long as `holdfast runner` does. */
const WAIT_MS = 30_000;

const offerOf = (name: string, { slots }: Readonly<{ slots: number }>) => ({
  process: name,
  machine: name,
  system: 'linux',
  version: VERSION,
  slots,
  agents: [{ instance: 'far', family: 'command', lane: 'exec' }],
  labels: [],
  projects: [],
  has: [],
});

async function tokenFor(hub: Measured, agent: string): Promise<string> {
  const { body } = await post(hub, '/api/tokens', {
    body: { agent, scopes: ['runs:work'], label: 'runner' },
  });
  return (JSON.parse(body) as { token: string }).token;
}

async function runnersOf(hub: Measured): Promise<string[]> {
  const { runners } = (await get(hub, '/v1/runners')) as { runners: { name: string }[] };
  return runners.map(({ name }) => name);
}

async function get(hub: Measured, path: string): Promise<unknown> {
  const response = await fetch(`${hub.address}${path}`, { headers: { authorization: `Bearer ${TOKEN}` } });
  return response.json();
}

type Asked = Readonly<{ body: object; token?: string; signal?: AbortSignal }>;

const agent = new Agent({ keepAlive: true });

/** Many held at once: more than a pool of connections has. */
function post(hub: Measured, path: string, { body, token = TOKEN, signal }: Asked) {
  return new Promise<Readonly<{ body: string }>>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const options = { method: 'POST', headers, agent, ...(signal && { signal }) };
    const asking = request(`${hub.address}${path}`, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode! < 300) resolve({ body: text });
        else reject(new Error(`HTTP ${answer.statusCode}: ${text}`));
      });
    });
    asking.on('error', reject).end(JSON.stringify(body));
  });
}

async function shareOf(now: () => number, ms: number): Promise<number> {
  const [from, before] = [performance.now(), now()];
  await sleep(ms);
  return (now() - before) / 1e6 / (performance.now() - from);
}

function nanosecondsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(200);
}
