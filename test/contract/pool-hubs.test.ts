// Hubs on one database share runs: what one has no room for, or left behind, another goes on with.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshPlace } from '../fixtures/databases.ts';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, type HubProcess, startHub } from '../fixtures/hub-process.ts';

const TOKEN = 't'.repeat(40);
const script = { family: 'command', command: [process.execPath, AGENT, '{prompt}'] };

it('a run of a hub that is killed goes to the next one where its agent may be retried', async () => {
  const { home, ask } = await world({ again: { ...script, retry: 'once' } });
  const one = await startHub(home());
  const { task_id: id } = await ask(one, 'POST', '/v1/send_message', {
    instance: 'again',
    prompt: 'say up\nsleep 1500\nsay through',
    async: true,
  });
  await expect.poll(async () => (await show(one, id)).attempt, PATIENCE).toBe(1);
  await one.stop('SIGKILL');
  const two = await startHub(home());
  await ask(two, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
  const ended = await show(two, id);
  expect(ended).toMatchObject({ status: 'done', attempt: 2 });
  expect(ended.attempts).toMatchObject([
    { n: 1, end: 'lost' },
    { n: 2, end: 'done' },
  ]);
  expect(ended.attempts[1].fence).toBeGreaterThan(ended.attempts[0].fence);

  async function show(hub: HubProcess, run: string) {
    return (await ask(hub, 'GET', `/v1/biam/tasks/${run}`)).task;
  }
});

it('what one hub does not run itself another on the same database takes', async () => {
  const { home, ask } = await world({ script });
  const only = await startHub(home(), ['--no-runner']);
  const { task_id: id } = await ask(only, 'POST', '/v1/send_message', {
    instance: 'script',
    prompt: 'say here',
    async: true,
  });
  expect((await ask(only, 'GET', `/v1/biam/tasks/${id}`)).task).toMatchObject({
    status: 'pending',
    attempt: 0,
  });
  await startHub(home());
  const { task, result } = await ask(only, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
  expect([task.status, result]).toEqual(['done', 'here']);
});

async function world(agents: object) {
  const place = await freshPlace('postgres');
  const settings = place.schema === undefined ? {} : { 'database-schema': place.schema };
  const home = () => {
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: TOKEN });
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents, ...settings }));
    return env;
  };
  const ask = async ({ address }: HubProcess, method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${address}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await response.json()) as any;
  };
  return { home, ask };
}
