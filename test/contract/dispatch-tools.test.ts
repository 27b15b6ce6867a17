import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eachEngine } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, PATIENCE, pending, resolve } from '../fixtures/dispatch-hub.ts';

const tokenFor = async (hub: DispatchHub, request: object) =>
  (await hub.ask('POST', '/api/tokens', request)).body.token as string;

async function decide(hub: DispatchHub, decision: string, more: object = {}): Promise<any> {
  const asked = await pending(hub);
  await resolve(hub, asked.id, decision, more);
  return asked;
}

eachEngine('tools of runs', (engine) => {
  it('an agent that hands work on is asked about; the answer is what the other said', async () => {
    const hub = await dispatchHub(engine);
    const ada = await tokenFor(hub, { agent: 'ada' });
    const call = hub.tool('SendMessage', { instance: 'script', prompt: 'say from the other side' }, ada);
    const asked = await decide(hub, 'allow_once');
    expect(asked).toMatchObject({ toolName: 'SendMessage', agentId: 'ada' });
    const { structuredContent } = await call;
    expect(structuredContent).toMatchObject({
      content: 'from the other side',
      task: { status: 'done', initiated_by: 'agent:ada' },
    });
    const refused = hub.tool('SendMessage', { instance: 'script', prompt: 'say no' }, ada);
    await decide(hub, 'deny');
    expect(await refused).toMatchObject({ isError: true });
    const overRest = hub.ask(
      'POST',
      '/v1/send_message',
      { instance: 'script', prompt: 'say x', async: true },
      ada,
    );
    await decide(hub, 'deny');
    expect(await overRest).toMatchObject({ status: 403 });
  });

  it('a grant covers the instance, whatever is asked of it', async () => {
    const hub = await dispatchHub(engine);
    const ada = await tokenFor(hub, { agent: 'ada' });
    const first = hub.tool('SendMessage', { instance: 'script', prompt: 'say one', async: true }, ada);
    await decide(hub, 'allow_always', { covers: 'shape' });
    const { task_id: one } = (await first).structuredContent;
    const { task_id: two } = (
      await hub.tool('SendMessage', { instance: 'script', prompt: 'say two', async: true }, ada)
    ).structuredContent;
    const both = (await hub.tool('TaskNotify', { task_ids: [one, two], mode: 'all', timeout_s: 30 }, ada))
      .structuredContent;
    expect(both.finished.map(({ content }: any) => content)).toEqual(['one', 'two']);
    expect((await hub.tool('TaskList', {}, ada)).structuredContent.count).toBe(2);
    expect(
      (await hub.tool('AgentList', {}, ada)).structuredContent.agents.map((each: any) => each.instance),
    ).toContain('script');
  });

  it('wait, notify, cancel and reply', async () => {
    const hub = await dispatchHub(engine);
    const [long, short] = [await hub.start('forever'), await hub.start('sleep 200\nsay short')];
    expect((await hub.tool('TaskWait', { task_id: long, timeout_s: 0.1 })).structuredContent).toMatchObject({
      timed_out: true,
    });
    expect((await hub.tool('TaskNotify', { task_ids: [long, short] })).structuredContent).toMatchObject({
      finished_id: short,
      timed_out: false,
    });
    await hub.tool('TaskReply', { task_id: long, body: 'hurry' });
    expect(
      (await hub.tool('TaskGet', { task_id: long })).structuredContent.messages.map(({ text }: any) => text),
    ).toEqual(['forever', 'hurry']);
    await hub.tool('TaskCancel', { task_id: long });
    expect((await hub.tool('TaskWait', { task_id: long })).structuredContent).toMatchObject({
      task: { status: 'cancelled' },
    });
    for (const name of ['TaskGet', 'TaskWait', 'TaskCancel'])
      expect(await hub.tool(name, { task_id: 'nope' })).toMatchObject({ isError: true });
  });

  it('waits for any of several, or for all of them, and says what it has when the time is over', async () => {
    const hub = await dispatchHub(engine);
    const [long, quick, slow] = [
      await hub.start('forever'),
      await hub.start('say quick'),
      await hub.start('sleep 400\nsay slow'),
    ];
    const notify = async (args: object) => (await hub.tool('TaskNotify', args)).structuredContent;
    expect(await notify({ task_ids: [long, quick, slow] })).toMatchObject({
      watched_ids: [long, quick, slow],
      finished_id: quick,
      finished: [{ content: 'quick' }],
      timed_out: false,
    });
    const all = await notify({ task_ids: [slow, quick, slow], mode: 'all' });
    expect(all.finished.map(({ content }: any) => content)).toEqual(['slow', 'quick', 'slow']);
    expect(await notify({ task_ids: [quick, long], mode: 'all', timeout_s: 0.2 })).toMatchObject({
      finished: [],
      timed_out: true,
    });
    expect(await notify({ task_ids: [long], timeout_s: 0.1 })).toMatchObject({ timed_out: true });
    for (const task_ids of [[], [long, 'nope'], Array.from({ length: 65 }, () => long)])
      expect(await hub.tool('TaskNotify', { task_ids })).toMatchObject({ isError: true });
  });

  it('a question of the agent waits for an answer, which goes back to it, signed', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('forever');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.reason, PATIENCE)
      .toBe('running');
    const { agent } = (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task;
    const own = await tokenFor(hub, { agent });
    const reply = async (args: object, token?: string) =>
      (await hub.tool('TaskReply', { task_id: id, ...args }, token)).structuredContent.task;
    expect(await reply({ body: 'half way', kind: 'progress' }, own)).toMatchObject({ reason: 'running' });
    expect(await reply({ body: 'Left or right?', kind: 'clarification' }, own)).toMatchObject({
      status: 'active',
      reason: 'waiting_input',
    });
    expect(await reply({ body: 'still here', kind: 'progress' }, own)).toMatchObject({
      reason: 'waiting_input',
    });
    expect(await reply({ body: 'left' })).toMatchObject({ reason: 'running' });
    const { messages } = (await hub.tool('TaskGet', { task_id: id }, own)).structuredContent;
    expect(messages.slice(1)).toEqual([
      { from: agent, kind: 'reply', text: 'half way', verified: true, untrusted: true },
      { from: agent, kind: 'clarification', text: 'Left or right?', verified: true, untrusted: true },
      { from: agent, kind: 'reply', text: 'still here', verified: true, untrusted: true },
      { from: 'operator:operator', kind: 'reply', text: 'left', verified: true, untrusted: true },
    ]);
    const stream = await hub.subscribe(id);
    await hub.tool('TaskCancel', { task_id: id });
    await stream.ended;
    const reasons = stream.events.filter(({ event }) => event === 'task').map(({ data }) => data.reason);
    expect(reasons.filter((reason) => ['waiting_input', 'running'].includes(reason))).toEqual([
      'running',
      'waiting_input',
      'running',
    ]);
  });

  it('an agent that is let through still has work done in known projects only', async () => {
    const hub = await dispatchHub(engine);
    const ada = await tokenFor(hub, { agent: 'ada' });
    writeFileSync(
      `${hub.home}/policy.yaml`,
      'version: 1\nrules:\n  - tool: [SendMessage, RunTask]\n    decide: allow\n',
    );
    const { id } = (await hub.ask('POST', '/api/board/tasks', { title: 'elsewhere' })).body;
    const answers = [
      await hub.tool('RunTask', { taskId: id, instance: 'script', project: process.cwd() }, ada),
      await hub.tool('SendMessage', { instance: 'script', prompt: 'x', opts: { cwd: process.cwd() } }, ada),
    ];
    for (const answer of answers)
      expect(answer).toMatchObject({ isError: true, structuredContent: { code: 'forbidden' } });
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(0);
  });

  it('an agent sees its own runs and a team its own; others are not there', async () => {
    const hub = await dispatchHub(engine);
    const mine = await hub.start('say x');
    const [ada, red] = [
      await tokenFor(hub, { agent: 'ada' }),
      await tokenFor(hub, { agent: 'bob', team: 'red' }),
    ];
    for (const token of [ada, red]) {
      expect((await hub.tool('TaskList', {}, token)).structuredContent.count).toBe(0);
      for (const path of [`/v1/biam/tasks/${mine}`, `/v1/biam/subscribe?task_id=${mine}`])
        expect(await hub.ask('GET', path, undefined, token)).toMatchObject({ status: 404 });
      expect(await hub.ask('POST', `/v1/biam/tasks/${mine}/cancel`, undefined, token)).toMatchObject({
        status: 404,
      });
    }
    const narrow = await tokenFor(hub, { agent: 'eve', scopes: ['board:read'] });
    expect(await hub.ask('GET', '/v1/agents', undefined, narrow)).toMatchObject({ status: 403 });
    expect(
      await hub.ask('POST', '/v1/send_message', { instance: 'script', prompt: 'x' }, narrow),
    ).toMatchObject({ status: 403 });
  });

  it('a run starts runs only so deep, and is known as their parent', async () => {
    const nested = [
      'const { HOLDFAST_URL: url, HOLDFAST_TOKEN: token } = process.env;',
      'const prompt = process.argv.at(-1);',
      'const depth = Number(prompt);',
      'const response = await fetch(`${url}/v1/send_message`, { method: "POST",',
      '  headers: { "content-type": "application/json", authorization: `Bearer ${token}` },',
      '  body: JSON.stringify({ instance: "nested", prompt: String(depth + 1) }) });',
      'console.log(depth, response.status, (await response.text()).slice(0, 300));',
    ].join('\n');
    const hub = await dispatchHub(
      engine,
      {
        nested: {
          family: 'command',
          command: [process.execPath, '--input-type=module', '-e', nested, '{prompt}'],
        },
      },
      { dispatch: { hops: 2 } },
    );
    writeFileSync(
      `${hub.home}/policy.yaml`,
      'version: 1\nrules:\n  - tool: SendMessage\n    decide: allow\n',
    );
    await hub.run('0', 'nested');
    const { tasks } = (await hub.ask('GET', '/v1/biam/tasks')).body;
    const byHops = tasks.toReversed();
    expect(byHops.map(({ hops }: any) => hops)).toEqual([0, 1, 2]);
    expect(byHops[1].parent).toBe(byHops[0].task_id);
    const { result } = (await hub.ask('GET', `/v1/biam/tasks/${byHops[2].task_id}`)).body;
    expect(result).toContain('429');
  });
});
