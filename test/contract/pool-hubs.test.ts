// Hubs on one database share runs: what one has no room for, or left behind, another goes on with.
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { freshFolder, freshPlace } from '../fixtures/databases.ts';
import { AGENT, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome, type HubProcess, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { offer } from '../fixtures/pool-hub.ts';
import { callRest } from '../fixtures/rest-call.ts';
import { commit, git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

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

it('an agent that only another hub has can be called, and its run is made there', async () => {
  const { home, ask } = await world({});
  const one = await startHub(home());
  const send = (prompt: string) =>
    ask(one, 'POST', '/v1/send_message', { instance: 'script', prompt, async: true });
  expect((await send('say nobody')).task_id).toBeUndefined();
  await startHub(home({ script }));
  let id: string | undefined;
  await expect.poll(async () => (id = (await send('say there')).task_id), PATIENCE).toBeDefined();
  const { task, result } = await ask(one, 'GET', `/v1/biam/tasks/${id}/wait?timeout_s=60`);
  expect([task.status, result]).toEqual(['done', 'there']);
});

it('a run that somebody else has locked holds up none behind it, and is given when it is free', async () => {
  const { home, ask, place } = await world({});
  const env = home();
  const hub = await startHub(env, ['--no-runner', '--port', '0']);
  const made = runHoldfast(env, ['token', 'create', '--runner', 'one', '--json']).out;
  const { token } = JSON.parse(made) as { token: string };
  const claim = async (body: object) => {
    const response = await fetch(`${hub.address}/v1/runners/claim`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...offer(), slots: 2, ...body }),
    });
    return response.status === 204 ? undefined : ((await response.json()) as any);
  };
  await claim({});
  const send = async () =>
    (await ask(hub, 'POST', '/v1/send_message', { instance: 'far', prompt: 'x', async: true })).task_id;
  const [locked, free] = [await send(), await send()];
  const other = new pg.Client({ connectionString: place.location });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query(`select id from ${place.schema}.runs where id = $1 for update`, [locked]);
  const first = await claim({ wait_ms: 10_000 });
  expect(first.run).toBe(free);
  const has = [{ run: first.run, attempt: first.attempt }];
  const waiting = claim({ wait_ms: 20_000, has });
  await sleep(500);
  await other.query('rollback');
  expect((await waiting).run).toBe(locked);
});

it('what was pushed to one hub the next attempt begins with at another, and ends there', async () => {
  const { home, ask } = await world({ far: { family: 'command', command: ['far'], retry: 'once' } });
  const [env, other] = [home(), home()];
  const args = ['--no-runner', '--port', '0'];
  const [here, there] = [await startHub(env, args), await startHub(other, args)];
  const repository = newRepositoryWithCommit(freshFolder());
  const far = join(freshFolder(), 'far');
  const runnerCalled = (name: string) => {
    const made = runHoldfast(env, ['token', 'create', '--runner', name, '--json']).out;
    const authorization = `Bearer ${(JSON.parse(made) as { token: string }).token}`;
    const post = async ({ address }: HubProcess, path: string, body: object) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const response = await fetch(`${address}/v1/runners/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return response.status === 204 ? undefined : ((await response.json()) as any);
    };
    return {
      claim: (hub: HubProcess) => post(hub, 'claim', { ...offer(), process: name, wait_ms: 10_000 }),
      end: (hub: HubProcess, { run, attempt, fence }: any, state: string) =>
        post(hub, `runs/${run}/${attempt}/end`, { fence, state }),
      git: (...args: string[]) => git(far, '-c', `http.extraHeader=Authorization: ${authorization}`, ...args),
    };
  };
  const [one, two] = [runnerCalled('one'), runnerCalled('two')];
  const claimed = one.claim(here);
  await expect.poll(async () => (await ask(here, 'GET', '/v1/runners')).runners.length, PATIENCE).toBe(1);
  const sent = { instance: 'far', prompt: 'x', async: true, opts: { cwd: repository, needs: ['here'] } };
  const { task_id: id } = await ask(here, 'POST', '/v1/send_message', sent);
  const first = await claimed;
  git(repository, 'clone', '-q', repository, far);
  const half = commit(far);
  one.git('push', '-q', `${here.address}${first.git.url}`, `${half}:${first.git.ref}`);
  await here.stop('SIGKILL');
  expect(await one.end(there, first, 'lost')).toEqual({ state: 'pending' });
  const second = await two.claim(there);
  expect(second).toMatchObject({ run: id, attempt: 2 });
  expect(two.git('ls-remote', `${there.address}${second.git.url}`, second.git.from)).toContain(half);
  expect(await two.end(there, second, 'done')).toEqual({ state: 'done' });
  const { task } = await ask(there, 'GET', `/v1/biam/tasks/${id}`);
  expect(git(repository, 'rev-parse', task.worktree.branch)).toBe(half);
});

it('whichever hub is asked tells the same of a runner, and of why a run waits', async () => {
  const { home, ask, place } = await world({ script });
  const [env, other] = [home(), home()];
  const [here, there] = [
    await startHub(env, ['--no-runner', '--port', '0']),
    await startHub(other, ['--port', '0']),
  ];
  const { token } = JSON.parse(runHoldfast(env, ['token', 'create', '--runner', 'one', '--json']).out);
  const at = { at: there.address, token };
  expect((await callRest(at, ['POST', '/v1/runners/claim'], offer())).status).toBe(204);
  const listed = () =>
    Promise.all([here, there].map(async (hub) => (await ask(hub, 'GET', '/v1/runners')).runners));
  const both = (one: object) => [[expect.objectContaining(one)], [expect.objectContaining(one)]];
  expect(await listed()).toEqual(both({ name: 'one', state: 'ready', busy: 0, agents: ['far'] }));
  const [mine, theirs] = await listed();
  expect(mine).toEqual(theirs);

  const send = async (opts: object) => {
    const sent = { instance: 'far', prompt: 'x', async: true, opts };
    return (await ask(here, 'POST', '/v1/send_message', sent)).task_id as string;
  };
  const why = async (hub: HubProcess, id: string): Promise<string[]> =>
    (await ask(hub, 'GET', `/v1/biam/tasks/${id}/why`)).reasons;
  const lacking = await send({ needs: ['gpu'] });
  const waits = 'It waits for somebody to take it.';
  await expect
    .poll(() => why(here, lacking), PATIENCE)
    .toEqual([
      waits,
      'this hub: it only coordinates (--no-runner).',
      `the hub on ${hostname()}: it lacks gpu.`,
      'one: it lacks gpu.',
    ]);
  expect(await why(there, lacking)).toEqual([
    waits,
    'this hub: it lacks gpu.',
    `the hub on ${hostname()}: it only coordinates (--no-runner).`,
    'one: it lacks gpu.',
  ]);

  // The hub that it asks is on another machine than the folder of the run.
  const inFolder = await send({ cwd: newRepositoryWithCommit(freshFolder()) });
  const sql = new pg.Client({ connectionString: place.location });
  await sql.connect();
  onTestFinished(() => sql.end());
  const change = (text: string) => sql.query(`update ${place.schema}.runners set ${text}`);
  const lastOf = async (id: string) =>
    Promise.all([here, there].map(async (hub) => (await why(hub, id)).at(-1)));
  const isFree = 'one: it can have the run, and has not asked yet.';
  await expect.poll(() => lastOf(inFolder), PATIENCE).toEqual([isFree, isFree]);
  await change(`machine = 'far away' where hub = process and slots = 1`);
  expect(await lastOf(inFolder)).toEqual(Array(2).fill('one: the folder of the run is on another machine.'));

  await ask(here, 'POST', '/v1/runners/one/drain', {});
  expect(await listed()).toEqual(both({ state: 'draining' }));
  await change(`seen_at = seen_at - 60000 where name = 'one'`);
  expect(await listed()).toEqual(both({ state: 'lost' }));
  expect(await lastOf(lacking)).toEqual(Array(2).fill('one: it is lost.'));
});

async function world(agents: object) {
  const place = await freshPlace('postgres');
  const settings = place.schema === undefined ? {} : { 'database-schema': place.schema };
  const home = (own: object = agents) => {
    const env = freshHome({ CLAWBOO_DB_PATH: place.location, HOLDFAST_TOKEN: TOKEN });
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify({ agents: own, ...settings }));
    return env;
  };
  const ask = async ({ address }: HubProcess, method: string, path: string, body?: object) =>
    (await callRest({ at: address, token: TOKEN }, [method, path], body)).body;
  return { home, ask, place };
}
