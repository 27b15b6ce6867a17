import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import {
  dispatchHub,
  type DispatchHub,
  openAt,
  PATIENCE,
  pending,
  resolve,
} from '../fixtures/dispatch-hub.ts';
import { hookListener } from '../fixtures/hook-listener.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';

const ACP = fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url));
/** Every turn it ends by itself has cost 50 cents. */
const talker = () => ({ talker: { family: 'acp', command: [process.execPath, ACP, freshFolder()] } });

/** With a first commit that no other has: the same one would make them one project. */
const freshRepository = (): string => newRepositoryWithCommit(freshFolder());

const runOf = async (hub: DispatchHub, id: string) =>
  (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;
const send = (hub: DispatchHub, prompt: string, cwd: string, more: object = {}) =>
  hub.ask('POST', '/v1/send_message', { instance: 'script', prompt, async: true, opts: { cwd }, ...more });

eachEngine('limits of projects', (engine) => {
  it('so many runs at once: others of the project wait, other projects do not', async () => {
    const hub = await dispatchHub(engine, {}, { projects: { '*': { limits: { concurrent: 1 } } } });
    const [one, two] = [freshRepository(), freshRepository()];
    const start = async (prompt: string, cwd: string) =>
      (await send(hub, prompt, cwd)).body.task_id as string;
    const first = await start('forever', one);
    const second = await start('say second', one);
    const third = await start('forever', one);
    expect(await hub.over(await start('say elsewhere', two))).toMatchObject({ result: 'elsewhere' });
    const { project } = await runOf(hub, first);
    expect(project).toEqual(expect.any(String));
    for (const id of [second, third])
      expect(await runOf(hub, id)).toMatchObject({ status: 'pending', project });
    await hub.ask('POST', `/v1/biam/tasks/${third}/cancel`);
    expect(await hub.over(third)).toMatchObject({ status: 'cancelled' });
    await hub.ask('POST', `/v1/biam/tasks/${first}/cancel`);
    expect(await hub.over(second)).toMatchObject({ status: 'done', result: 'second' });
  });

  it('what waits when the hub stops goes on with the next one in its turn; what ran is expired', async () => {
    const limits = { projects: { '*': { limits: { concurrent: 1 } } } };
    const hub = await dispatchHub(engine, {}, limits);
    const path = freshRepository();
    const start = async (at: DispatchHub, prompt: string) => (await send(at, prompt, path)).body.task_id;
    const first = await start(hub, 'forever');
    await expect.poll(async () => (await runOf(hub, first)).status, PATIENCE).toBe('active');
    const [second, third] = [await start(hub, 'forever'), await start(hub, 'say third')];
    await hub.hub.close();
    const next = await openAt(hub.place, hub.home, {}, limits);
    expect(await runOf(next, first)).toMatchObject({ status: 'expired' });
    await expect.poll(async () => (await runOf(next, second)).status, PATIENCE).toBe('active');
    expect(await runOf(next, third)).toMatchObject({ status: 'pending' });
    await next.ask('POST', `/v1/biam/tasks/${second}/cancel`);
    expect(await next.over(third)).toMatchObject({ status: 'done', result: 'third', attempt: 1 });
    expect(await next.over(await start(next, 'say free'))).toMatchObject({ status: 'done' });
  });

  it('so many per minute; more are refused', async () => {
    const hub = await dispatchHub(engine, {}, { projects: { '*': { limits: { rate: 2 } } } });
    const path = freshRepository();
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await send(hub, 'say x', path));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(answers[2]!.body.error).toMatch(/The project .+ may be started 2 times per minute/);
    expect((await send(hub, 'say x', freshRepository())).status).toBe(202);
  });

  it('a budget of 0 starts nothing and says whose it is', async () => {
    const hub = await dispatchHub(
      engine,
      { poor: { family: 'command', command: ['true'], limits: { dollars: 0 } } },
      { projects: { '*': { limits: { dollars: 0 } } } },
    );
    const path = freshRepository();
    const refused = await send(hub, 'say x', path);
    expect(refused.status).toBe(429);
    expect(refused.body.error).toMatch(/^The project .+ has a budget of 0: nothing is started\.$/);
    expect(refused.body.hint).toMatch(/projects\..+\.limits\.dollars in config\.yaml/);
    const poor = await hub.ask('POST', '/v1/send_message', { instance: 'poor', prompt: 'x', async: true });
    expect(poor).toMatchObject({
      status: 429,
      body: { error: 'poor has a budget of 0: nothing is started.' },
    });
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(0);
  });

  it('what the runs of a task cost is part of what finished work cost', async () => {
    const hub = await dispatchHub(engine, talker());
    const { id: taskId } = (await hub.ask('POST', '/api/board/tasks', { title: 'say one' })).body;
    const { body } = await hub.ask('POST', '/v1/runs', { task_id: taskId, instance: 'talker' });
    expect(await hub.over(body.task.task_id)).toMatchObject({ status: 'done', cost_usd: 0.5 });
    expect((await hub.ask('PUT', `/api/board/tasks/${taskId}/finished`, {})).status).toBe(200);
    const stats = (await hub.ask('GET', '/api/board/stats')).body;
    expect(stats).toMatchObject({ done: 1, costUsd: 0.5, byTeam: [{ done: 1, costUsd: 0.5 }] });
  });

  it('at 80 % somebody is told, what is left is all a run has, and a spent budget asks before anything starts', async () => {
    const { heard, url } = await hookListener();
    const hub = await dispatchHub(engine, talker(), {
      projects: { '*': { limits: { dollars: 1.1 } } },
      notices: { terminal: false, to: { here: { webhook: url, private: true, kinds: ['budget'] } } },
    });
    const path = freshRepository();
    const start = async (prompt: string) =>
      (await send(hub, prompt, path, { instance: 'talker' })).body.task_id as string;
    const first = await start('say one');
    expect(await hub.over(first)).toMatchObject({ status: 'done', cost_usd: 0.5 });
    const { project } = await runOf(hub, first);
    expect(heard).toEqual([]);
    await hub.over(await start('say two'));
    await expect
      .poll(() => heard.map(({ body }) => body.text), PATIENCE)
      .toContain(`The project ${project} has spent 80 % of its budget.`);
    expect(heard.map(({ body }) => body.text)).toContainEqual(
      expect.stringMatching(/^Run .{8} has spent 80 % of its budget\.$/),
    );

    const third = await start('spend 0.2\nwait');
    const inside = await pending(hub);
    expect(inside).toMatchObject({
      toolName: 'AgentBudget',
      argsSummary: expect.stringContaining('$0.20 of a budget of $0.1.'),
    });
    await resolve(hub, inside.id, 'deny');
    expect(await hub.over(third)).toMatchObject({ status: 'failed', error: { class: 'limit' } });

    const [fourth, fifth, sixth] = [await start('say four'), await start('say five'), await start('say six')];
    const asked = new Map<string, string>();
    await expect
      .poll(async () => {
        for (const { id, argsSummary } of (await hub.ask('GET', '/api/tools/approvals')).body.approvals)
          asked.set(
            [fourth, fifth, sixth].find((run) => argsSummary.includes(run))!,
            id,
          );
        return asked.size;
      }, PATIENCE)
      .toBe(3);
    for (const id of [fourth, fifth, sixth])
      expect(await runOf(hub, id)).toMatchObject({ status: 'pending', reason: 'waiting_approval' });
    await resolve(hub, asked.get(fourth)!, 'allow_once');
    expect(await hub.over(fourth)).toMatchObject({ status: 'done', result: 'four' });
    await resolve(hub, asked.get(fifth)!, 'deny');
    expect(await hub.over(fifth)).toMatchObject({
      status: 'failed',
      error: {
        class: 'limit',
        text: expect.stringMatching(/within a day, of a budget of \$1\.1\. Nobody allowed more\.$/),
      },
    });
    await hub.ask('POST', `/v1/biam/tasks/${sixth}/cancel`);
    expect(await hub.over(sixth)).toMatchObject({ status: 'cancelled' });
    expect((await hub.ask('GET', '/api/tools/approvals')).body.approvals).toEqual([]);
  });

  it('what several spend at once counts together, before any of them is over', async () => {
    const hub = await dispatchHub(engine, talker(), { projects: { '*': { limits: { dollars: 1.1 } } } });
    const path = freshRepository();
    const start = async (prompt: string) =>
      (await send(hub, prompt, path, { instance: 'talker' })).body.task_id as string;
    const first = await start('spend 0.6\nwait');
    const second = await start('sleep 300\nspend 0.6\nwait');
    const asked = await pending(hub);
    expect(asked).toMatchObject({
      toolName: 'AgentBudget',
      argsSummary: expect.stringMatching(/has cost \$1\.20 within a day, of a budget of \$1\.1\./),
    });
    await resolve(hub, asked.id, 'allow_once');
    await expect
      .poll(async () => (await hub.ask('GET', '/api/tools/approvals')).body.approvals, PATIENCE)
      .toEqual([]);
    const third = await start('say more');
    expect((await pending(hub)).argsSummary).toContain('$1.20 within a day');
    for (const id of [first, second, third]) {
      await hub.ask('POST', `/v1/biam/tasks/${id}/cancel`);
      expect(await hub.over(id)).toMatchObject({ status: 'cancelled' });
    }
    expect(await runOf(hub, second)).toMatchObject({ cost_usd: 0.6, usage: { basis: 'lower_bound' } });
  });

  it('a folder is one of a known project: made known by a person, open to agents, and to a team only its own', async () => {
    const hub = await dispatchHub(engine);
    const path = freshRepository();
    mkdirSync(join(path, 'deep'));
    writeFileSync(
      `${hub.home}/policy.yaml`,
      'version: 1\nrules:\n  - tool: SendMessage\n    decide: allow\n',
    );
    const token = async (more: object) =>
      (await hub.ask('POST', '/api/tokens', { agent: 'ada', ...more })).body.token;
    const ada = await token({});
    const asAgent = (cwd: string, who: string) =>
      hub.tool('SendMessage', { instance: 'script', prompt: 'cwd', opts: { cwd } }, who);
    const refused = { isError: true, structuredContent: { code: 'forbidden' } };
    expect(await asAgent(path, ada)).toMatchObject(refused);
    const { body } = await send(hub, 'cwd', join(path, 'deep'));
    const { project, result } = await hub.over(body.task_id);
    expect([project, result]).toEqual([expect.any(String), join(path, 'deep')]);
    expect((await asAgent(path, ada)).structuredContent).toMatchObject({ content: path, task: { project } });
    expect((await asAgent(path, await token({ team: project }))).structuredContent).toMatchObject({
      content: path,
    });
    expect(await asAgent(path, await token({ team: 'red' }))).toMatchObject(refused);
    for (const cwd of ['/', '/etc', freshFolder()]) expect(await asAgent(cwd, ada)).toMatchObject(refused);
    expect(await send(hub, 'cwd', freshFolder())).toMatchObject({ status: 403 });
    expect(await send(hub, 'cwd', 'relative')).toMatchObject({ status: 400 });
  });
});
