import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';

/**
 * Who may do what with one run of ada's in the team red. The doors themselves are in `route-matrix.txt`; this is about what
 * lies behind them. `in`: whatever comes then, it is about the run. `404`: there is no such run for them. `403`: not with this
 * credential.
 */
const PRINCIPALS = ['operator', 'ada', 'itself', 'red', 'bob', 'blue', 'reader', 'nobody'] as const;
type Name = (typeof PRINCIPALS)[number];

const ROUTES: readonly (readonly [string, string, object | undefined, string])[] = [
  //                                                                operator ada itself red bob blue reader nobody
  ['GET', '/v1/biam/tasks/:id', undefined, 'in in in in 404 404 in 403'],
  ['GET', '/v1/biam/tasks/:id/wait?timeout_s=0', undefined, 'in in in in 404 404 in 403'],
  ['GET', '/v1/biam/subscribe?task_id=:id', undefined, 'in in in in 404 404 in 403'],
  ['GET', '/v1/biam/tasks/:id/diff', undefined, 'in 403 403 403 403 403 403 403'],
  ['POST', '/v1/biam/tasks/:id/reply', { body: 'hello' }, 'in in in in 404 404 403 403'],
  ['POST', '/v1/biam/tasks/:id/resume', { prompt: 'go on' }, 'in 403 403 403 403 403 403 403'],
  ['POST', '/v1/biam/tasks/:id/merge', {}, 'in 403 403 403 403 403 403 403'],
  ['POST', '/v1/biam/tasks/:id/cancel', undefined, 'in in in in 404 404 403 403'],
];

const TOOLS: readonly (readonly [string, object, string])[] = [
  //                                                operator ada itself red bob blue reader nobody
  ['TaskGet', {}, 'ok ok ok ok not_found not_found ok forbidden'],
  ['TaskWait', { timeout_s: 0 }, 'ok ok ok ok not_found not_found ok forbidden'],
  ['TaskReply', { body: 'hello' }, 'ok ok ok ok not_found not_found forbidden forbidden'],
  ['TaskCancel', {}, 'ok ok ok ok not_found not_found forbidden forbidden'],
];

/** A run of ada's that does nothing, and everybody's credential for it. */
async function setUp(hub: DispatchHub) {
  const token = async (request: object) =>
    (await hub.ask('POST', '/api/tokens', request)).body.token as string;
  const ada = await token({ agent: 'ada', team: 'red' });
  const { structuredContent } = await hub.tool(
    'SendMessage',
    { instance: 'script', prompt: 'forever', async: true },
    ada,
  );
  const { task_id: id, task } = structuredContent;
  const tokens: Record<Name, string> = {
    operator: hub.token,
    ada,
    itself: await token({ agent: task.agent, team: 'red' }),
    red: await token({ agent: 'carl', team: 'red' }),
    bob: await token({ agent: 'bob' }),
    blue: await token({ agent: 'dan', team: 'blue' }),
    reader: await token({ agent: 'ada', team: 'red', scopes: ['runs:read', 'hub:read'] }),
    nobody: await token({ agent: 'ada', team: 'red', scopes: ['board:read'] }),
  };
  return { id: id as string, tokens };
}

function allow(hub: DispatchHub): void {
  writeFileSync(`${hub.home}/policy.yaml`, 'version: 1\nrules:\n  - tool: SendMessage\n    decide: allow\n');
}

/** The status, without waiting for the end of a stream. */
async function statusOf(
  hub: DispatchHub,
  token: string,
  [method, path, body]: readonly [string, string, unknown],
) {
  const leaving = new AbortController();
  const response = await hub.fetch(path, {
    method,
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  leaving.abort();
  return [401, 403, 404].includes(response.status) ? String(response.status) : 'in';
}

eachEngine('who may do what with a run', (engine) => {
  it('over REST', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const { id, tokens } = await setUp(hub);
    for (const [method, path, body, expected] of ROUTES) {
      const found = [];
      for (const who of PRINCIPALS)
        found.push(await statusOf(hub, tokens[who], [method, path.replace(':id', id), body]));
      expect(found.join(' '), `${method} ${path}`).toBe(expected);
    }
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.status, PATIENCE)
      .toBe('cancelled');
  });

  it("a namesake of another team is no part of a run: what it starts is nobody's child", async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const { id, tokens } = await setUp(hub);
    const { agent } = (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;
    const namesake = (await hub.ask('POST', '/api/tokens', { agent, team: 'blue' })).body.token as string;
    const send = async (token: string) =>
      (await hub.tool('SendMessage', { instance: 'script', prompt: 'forever', async: true }, token))
        .structuredContent.task;
    expect(await send(tokens.itself)).toMatchObject({ parent: id, hops: 1 });
    const own = await send(namesake);
    expect([own.parent ?? null, own.hops]).toEqual([null, 0]);
  });

  it('over MCP', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const { id, tokens } = await setUp(hub);
    for (const [name, args, expected] of TOOLS) {
      const found = [];
      for (const who of PRINCIPALS) {
        const { isError, structuredContent } = await hub.tool(name, { task_id: id, ...args }, tokens[who]);
        found.push(isError ? structuredContent.code : 'ok');
      }
      expect(found.join(' '), name).toBe(expected);
    }
    for (const who of ['bob', 'blue'] as const) {
      expect((await hub.tool('TaskList', {}, tokens[who])).structuredContent.count).toBe(0);
      expect(await hub.tool('TaskNotify', { task_ids: [id] }, tokens[who])).toMatchObject({
        isError: true,
        structuredContent: { code: 'not_found' },
      });
    }
    expect(await hub.tool('SendMessage', { prompt: 'x' }, tokens.reader)).toMatchObject({
      isError: true,
      structuredContent: { code: 'forbidden' },
    });
  });
});
