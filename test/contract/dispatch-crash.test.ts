import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { eachEngine, type Engine, freshPlace } from '../fixtures/databases.ts';
import { AGENT, isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, type HubProcess, startHub } from '../fixtures/hub-process.ts';
import { marked } from '../fixtures/marked-processes.ts';
import { callRest } from '../fixtures/rest-call.ts';

const agents = { script: { family: 'command', command: [process.execPath, AGENT, '{prompt}'] } };

eachEngine('a hub that is killed', (engine) => {
  it('leaves no process behind and no run unknown: the next hub ends both', async () => {
    const { home, ask, lineOf } = await world(engine);
    const env = home();
    const hub = await startHub(env);
    const { task_id: id } = await ask(hub, 'POST', '/v1/send_message', {
      instance: 'script',
      prompt: 'fork stubborn\nforever',
      async: true,
    });
    const child = Number(await lineOf(hub, id, /child (\d+)/));
    await hub.stop('SIGKILL');
    expect(isAlive(child)).toBe(true);
    const next = await startHub(env);
    const { task } = await ask(next, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=30`);
    expect(task).toMatchObject({ status: 'expired', error: { text: 'the hub that ran it is gone' } });
    expect(isAlive(child)).toBe(false);
    expect(marked(id)).toEqual([]);
  });
});

it('a hub does not touch the runs of another that lives, and those are cancelled from there', async () => {
  const { home, ask, lineOf } = await world('postgres');
  const [one, two] = [await startHub(home()), await startHub(home())];
  const send = (hub: HubProcess) =>
    ask(hub, 'POST', '/v1/send_message', { instance: 'script', prompt: 'say up\nforever', async: true });
  const [mine, yours] = [await send(one), await send(two)];
  await lineOf(one, mine.task_id, /(up)/);
  await lineOf(one, yours.task_id, /(up)/);
  await one.stop('SIGKILL');
  await ask(two, 'POST', `/v1/biam/tasks/${mine.task_id}/cancel`);
  expect((await ask(two, 'GET', `/v1/biam/tasks/${mine.task_id}/wait?timeout_s=30`)).task.status).toMatch(
    /^(cancelled|expired)$/,
  );
  expect((await ask(two, 'GET', `/v1/biam/tasks/${yours.task_id}`)).task.status).toBe('active');
  const three = await startHub(home());
  await ask(three, 'POST', `/v1/biam/tasks/${yours.task_id}/cancel`);
  expect((await ask(three, 'GET', `/v1/biam/tasks/${yours.task_id}/wait?timeout_s=30`)).task.status).toBe(
    'cancelled',
  );
  expect([...marked(mine.task_id), ...marked(yours.task_id)]).toEqual([]);
});

async function world(engine: Engine) {
  const place = await freshPlace(engine);
  const settings = place.schema === undefined ? {} : { 'database-schema': place.schema };
  const home = () => {
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: 't'.repeat(40) });
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents, ...settings }));
    return env;
  };
  const ask = async ({ address }: HubProcess, method: string, path: string, body?: object) =>
    (await callRest({ at: address, token: 't'.repeat(40) }, [method, path], body)).body;
  const lineOf = async (hub: HubProcess, id: string, pattern: RegExp) => {
    let found: string | undefined;
    await expect
      .poll(async () => {
        const response = await fetch(`${hub.address}/v1/biam/subscribe?task_id=${id}`, {
          headers: { authorization: `Bearer ${'t'.repeat(40)}` },
          signal: AbortSignal.timeout(1_000),
        });
        let text = '';
        try {
          for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
        } catch {
          // The stream of a run that goes on has no end.
        }
        return (found = pattern.exec(text)?.[1]);
      }, PATIENCE)
      .toBeDefined();
    return found!;
  };
  return { home, ask, lineOf };
}
