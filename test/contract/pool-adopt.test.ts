// A hub that is killed after it accepted runs and before anybody could take them: the next hub takes them, once, whatever may be retried.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createKeeper } from '../../src/features/dispatch/attempt/keeper.ts';
import { adoptRun, queueRun } from '../../src/features/dispatch/rows/queue.ts';
import { changeReason, insertRun } from '../../src/features/dispatch/rows/runs.ts';
import type { Run } from '../../src/features/dispatch/run.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { bareRun } from '../fixtures/bare-run.ts';
import { eachEngine, type Engine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, type HubProcess, startHub } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { callRest } from '../fixtures/rest-call.ts';

const TOKEN = 't'.repeat(40);
const ACP = fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url));
const agents = () => ({
  script: { family: 'command', command: [process.execPath, AGENT, '{prompt}'] },
  // Every turn of it has cost 50 cents.
  talker: { family: 'acp', command: [process.execPath, ACP, freshFolder()] },
});
const oneAtATime = { concurrent: 1 };

eachEngine('what a hub accepted and nobody had begun when it was killed', (engine) => {
  it('is begun by the next one, in its turn, and the same request still means the same run', async () => {
    const { home, ask, show, send } = await world(engine, oneAtATime);
    const env = home();
    const one = await startHub(env);
    const first = await send(one, 'say up\nforever', { idempotencyKey: 'k1' });
    await expect.poll(async () => (await show(one, first)).status, PATIENCE).toBe('active');
    const second = await send(one, 'sleep 300\nsay second', { idempotencyKey: 'k2' });
    const third = await send(one, 'say third', { idempotencyKey: 'k3' });
    await one.stop('SIGKILL');
    const next = await startHub(env);
    expect(await send(next, 'sleep 300\nsay second', { idempotencyKey: 'k2' })).toBe(second);
    for (const id of [second, third]) {
      await ask(next, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
      const { attempts, ...task } = await show(next, id);
      expect(task).toMatchObject({ status: 'done', attempt: 1 });
      expect(attempts).toMatchObject([{ n: 1, end: 'done' }]);
    }
    // One at a time also here.
    const [ended, begun] = [await show(next, second), await show(next, third)];
    expect(begun.attempts[0].started_at >= ended.attempts[0].ended_at).toBe(true);
    // What had begun is nobody's to repeat unasked.
    expect(await show(next, first)).toMatchObject({ status: 'expired', attempt: 1 });
  });

  it('asks a person anew for what it may cost, and is then begun', async () => {
    const { home, ask, show, send } = await world(engine, { dollars: 0.6 });
    const env = home();
    const one = await startHub(env);
    const paid = await send(one, 'say one', { instance: 'talker' });
    await ask(one, 'GET', `/v1/biam/tasks/${paid}/wait?timeout_s=60`);
    const asked = async (hub: HubProcess) =>
      (await ask(hub, 'GET', '/api/tools/approvals')).approvals as { id: string; argsSummary: string }[];
    const dear = await send(one, 'spend 0.2\nwait', { instance: 'talker' });
    await expect.poll(async () => (await asked(one)).length, PATIENCE).toBe(1);
    await ask(one, 'POST', `/v1/biam/tasks/${dear}/cancel`);
    await ask(one, 'GET', `/v1/biam/tasks/${dear}/wait?timeout_s=60`);
    expect(await asked(one)).toEqual([]);
    const id = await send(one, 'say two', { instance: 'talker' });
    await expect.poll(async () => (await asked(one)).length, PATIENCE).toBe(1);
    const [before] = await asked(one);
    await one.stop('SIGKILL');
    const next = await startHub(env);
    await expect
      .poll(async () => (await asked(next)).map((each) => each.id !== before!.id), PATIENCE)
      .toEqual([true]);
    expect(await show(next, id)).toMatchObject({ status: 'pending', reason: 'waiting_approval', attempt: 0 });
    const [now] = await asked(next);
    expect(now!.argsSummary).toContain(id);
    await ask(next, 'POST', `/api/tools/approvals/${now!.id}/resolve`, { decision: 'allow_once' });
    await ask(next, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
    expect(await show(next, id)).toMatchObject({ status: 'done', attempt: 1 });
  });
});

it('goes to one of several hubs that see it, and a cancel between hubs is a cancel', async () => {
  const { home, ask, show, send } = await world('postgres', oneAtATime);
  const env = home();
  const [one, two] = [await startHub(env), await startHub(home())];
  const first = await send(one, 'say up\nforever');
  await expect.poll(async () => (await show(one, first)).status, PATIENCE).toBe('active');
  const ids: string[] = [];
  for (let i = 0; i < 6; i += 1) ids.push(await send(one, `say ${i}`));
  const cancelled = await send(one, 'forever');
  await one.stop('SIGKILL');
  // The one that begins looks at once, and so does the one that is asked to cancel.
  const [three] = await Promise.all([
    startHub(env),
    ask(two, 'POST', `/v1/biam/tasks/${cancelled}/cancel`),
    ask(two, 'POST', `/v1/biam/tasks/${first}/cancel`),
  ]);
  for (const id of ids) {
    await ask(two, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
    const { attempts, ...task } = await show(three, id);
    expect(task).toMatchObject({ status: 'done', attempt: 1 });
    expect(attempts).toMatchObject([{ n: 1, end: 'done' }]);
  }
  const over = await ask(two, 'GET', `/v1/biam/tasks/${cancelled}/wait?timeout_s=60`);
  expect(over.task).toMatchObject({ status: 'cancelled', attempt: 0 });
});

async function world(engine: Engine, limits: object) {
  const place = await freshPlace(engine);
  const cwd = newRepositoryWithCommit(freshFolder());
  const settings = {
    agents: agents(),
    projects: { '*': { limits } },
    ...(place.schema !== undefined && { 'database-schema': place.schema }),
  };
  const home = () => {
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: TOKEN });
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify(settings));
    return env;
  };
  const ask = async ({ address }: HubProcess, method: string, path: string, body?: object) =>
    (await callRest({ at: address, token: TOKEN }, [method, path], body)).body;
  const show = async (hub: HubProcess, id: string) => (await ask(hub, 'GET', `/v1/biam/tasks/${id}`)).task;
  async function send(hub: HubProcess, prompt: string, more: object = {}): Promise<string> {
    const body = { instance: 'script', prompt, async: true, opts: { cwd }, ...more };
    const sent = await ask(hub, 'POST', '/v1/send_message', body);
    expect(sent).toMatchObject({ task_id: expect.any(String) });
    return sent.task_id;
  }
  return { home, ask, show, send };
}

eachEngine('what a hub that lives has accepted', (engine) => {
  it('is taken up again when it is in nobody’s hands for a while, and not before', async () => {
    let now = Date.now();
    const clock = { now: () => now, elapsed: () => now };
    const db = await (await freshPlace(engine)).open({ clock });
    const adopted: string[] = [];
    const keeper = createKeeper({
      db,
      log: silentLog,
      hub: 'this',
      kept: async () => undefined,
      lose: async () => undefined,
      adopt: async (runs) => void adopted.push(...runs.map(({ id }) => id)),
      holds: (id) => id === 'held',
    });
    await db.write(systemActor, async (tx) => {
      for (const id of ['held', 'lost']) await insertRun(tx, bareRun({ id, hub: 'this', createdAt: tx.now }));
      await insertRun(tx, bareRun({ id: 'strange', hub: 'gone', createdAt: tx.now }));
    });
    await keeper.recover();
    expect(adopted).toEqual(['strange']);
    now += 5_000;
    await keeper.recover();
    expect(adopted).not.toContain('lost');
    now += 60_000;
    await keeper.recover();
    expect(adopted).toContain('lost');
    expect(adopted).not.toContain('held');
    await keeper.close();
  });

  it('is queued as it was accepted: not when it was cancelled, nor when another hub has it', async () => {
    const db = await (await freshPlace(engine)).open();
    const runs = ['free', 'cancelled', 'taken'].map((id) => bareRun({ id, hub: 'this' }));
    const [free, cancelled, taken] = runs as [Run, Run, Run];
    const queued = await db.write(systemActor, async (tx) => {
      for (const run of runs) await insertRun(tx, run);
      await changeReason(tx, cancelled.id, { to: 'cancelling' });
      // Of two who see that its hub is gone one has it.
      const both = [await adoptRun(tx, taken, 'one'), await adoptRun(tx, taken, 'two')];
      expect(both).toMatchObject([{ hub: 'one', fence: 1 }, undefined]);
      expect(await adoptRun(tx, cancelled, 'one')).toBeUndefined();
      const answers = [];
      for (const run of runs) answers.push(await queueRun(tx, run));
      return answers;
    });
    expect(queued.map((each) => each?.id)).toEqual([free.id, undefined, undefined]);
  });
});
