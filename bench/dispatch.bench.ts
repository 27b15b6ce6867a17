import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fanOut, rowsOf } from './events.bench.ts';
import { freshFolder, type Measured, root, startHub, startMeasured } from './process.ts';
import { atMost, type Row } from './row.ts';

export const title = 'Runs: frames to 1,000 subscribers, and what a run costs';

const RUNS = 100;

export async function measure(): Promise<readonly Row[]> {
  const home = freshFolder();
  writeFileSync(join(home, 'config.yaml'), CONFIG);
  const hub = await startHub({ HOLDFAST_HOME: home, HOLDFAST_NO_AUTH: 'true' });
  const raw = await startMeasured(`${root}bench/baselines/raw-sse.mjs`);
  const bare = await startMeasured(`${root}bench/baselines/bare-spawn.mjs`);
  // First, before thousands of closed connections stand in the tables of the system, which every new one is looked up in.
  const run = await cpuPer(hub, () => ask(hub, '/v1/send_message', { instance: 'quick', prompt: 'x' }));
  const spawned = await cpuPer(bare, () => ask(bare, '/', {}));
  const { task_id: id } = await ask<{ task_id: string }>(hub, '/v1/send_message', {
    instance: 'sleeper',
    prompt: 'x',
    async: true,
  });
  const frame = JSON.stringify({ body: 'a frame of about as many bytes as a line of output has' });
  const ours = await fanOut(hub, `/v1/biam/subscribe?task_id=${id}`, `/v1/biam/tasks/${id}/reply`, frame);
  const theirs = await fanOut(raw, '/', '/');
  await ask(hub, `/v1/biam/tasks/${id}/cancel`, undefined);
  await Promise.all([hub.stop(), raw.stop(), bare.stop()]);
  const ms = (value: number) => `${(value / 1000).toFixed(2)} ms`;
  return [
    ...rowsOf('frame', ours, theirs),
    {
      what: 'hub CPU per run of a program that ends at once',
      ours: ms(run),
      baseline: `${ms(spawned)} to spawn it, 15 ms allowed`,
      ratio: run / 15_000,
      hold: atMost(1),
    },
  ];
}

const CONFIG = `agents:
  sleeper: { family: command, command: [sleep, "600"] }
  quick: { family: command, command: ["true"] }
`;

async function cpuPer(server: Measured, once: () => Promise<unknown>): Promise<number> {
  for (let i = 0; i < 10; i += 1) await once();
  const before = await server.cpu();
  for (let i = 0; i < RUNS; i += 1) await once();
  return ((await server.cpu()) - before) / RUNS;
}

/** The whole answer, streams included. */
async function ask<T>(server: Measured, path: string, body: object | undefined): Promise<T> {
  const response = await fetch(`${server.address}${path}`, {
    method: 'POST',
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text}`);
  return JSON.parse(text.split('\n')[0]!) as T;
}
