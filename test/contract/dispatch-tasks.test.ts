import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { TaskStatusNotificationV2Schema } from '@modelcontextprotocol/ext-tasks/core/v2';
import { expect, it } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, openAt, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { listenToTasks, openTaskSession, taskRpc } from '../fixtures/task-client.ts';

const ACP = fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url));
const acp = () => ({ family: 'acp', command: [process.execPath, ACP, freshFolder()] });

function allow(hub: DispatchHub): void {
  const policy = 'version: 1\nrules:\n  - tool: [SendMessage, Bash]\n    decide: allow\n';
  writeFileSync(`${hub.home}/policy.yaml`, policy);
}

const callOf = (name: string, args: object) => ({ name, arguments: args });
const sendOf = (prompt: string, more: object = {}) =>
  callOf('SendMessage', { instance: 'script', prompt, ...more });

async function statusOf(hub: DispatchHub, taskId: string): Promise<string> {
  return (await taskRpc(hub, 'tasks/get', { taskId })).status;
}

eachEngine('runs as tasks of the official extension', (engine) => {
  it('a call becomes a task whose id is the run; its result is what the call would have answered', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    for (const args of [{}, { async: true }]) {
      const created = await taskRpc(hub, 'tools/call', sendOf('sleep 100\nsay found it', args));
      expect(created).toMatchObject({
        resultType: 'task',
        status: 'working',
        ttlMs: null,
        pollIntervalMs: expect.any(Number),
      });
      const { taskId } = created;
      expect(await hub.over(taskId)).toMatchObject({ status: 'done' });
      const task = await taskRpc(hub, 'tasks/get', { taskId });
      expect(task).toMatchObject({
        resultType: 'complete',
        status: 'completed',
        result: {
          structuredContent: { task_id: taskId, content: 'found it', task: { status: 'done' } },
        },
      });
      expect(task.ttlMs).toBeGreaterThan(0);
    }
  });

  it("the extension's own client waits for it, and its user answers a question of the agent", async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const asked: string[] = [];
    const session = await openTaskSession(hub, ({ message }) => {
      asked.push(message);
      return { action: 'accept', content: { answer: 'the blue one' } };
    });
    const execution = await session.callTool('SendMessage', {
      instance: 'script',
      prompt: 'sleep 4000\nsay ok',
    });
    const [run] = (await hub.ask('GET', '/v1/biam/tasks')).body.tasks;
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${run.task_id}`)).body.task.reason, PATIENCE)
      .toBe('running');
    const own = (await hub.ask('POST', '/api/tokens', { agent: run.agent })).body.token;
    await hub.tool('TaskReply', { task_id: run.task_id, kind: 'clarification', body: 'Which one?' }, own);
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ structuredContent: { content: 'ok' } });
    expect(asked).toEqual(['The agent asks: Which one?']);
    const { messages } = (await hub.ask('GET', `/v1/biam/tasks/${run.task_id}`)).body;
    expect(messages.map(({ envelope }: any) => [envelope.kind, envelope.body.text])).toEqual([
      ['prompt', 'sleep 4000\nsay ok'],
      ['clarification', 'Which one?'],
      ['reply', 'the blue one'],
      ['result', 'ok'],
    ]);
  });

  it('a call that waits for approval is input required for a person, and only work under way for an agent', async () => {
    const hub = await dispatchHub(engine, { helper: acp() });
    allow(hub);
    const prompt = { instance: 'helper', prompt: 'ask echo hello' };
    const { taskId } = await taskRpc(hub, 'tools/call', callOf('SendMessage', prompt));
    await expect.poll(() => statusOf(hub, taskId), PATIENCE).toBe('input_required');
    const { inputRequests } = await taskRpc(hub, 'tasks/get', { taskId });
    const [[key, question]] = Object.entries<any>(inputRequests) as [[string, any]];
    expect(question).toMatchObject({ method: 'elicitation/create' });
    const withoutForms = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    expect(await taskRpc(hub, 'tasks/get', { taskId }, { capabilities: withoutForms })).toMatchObject({
      status: 'working',
      statusMessage: 'A tool call inside the run waits for approval.',
    });
    const wrong = await taskRpc(hub, 'tasks/update', {
      taskId,
      inputResponses: { [key]: { action: 'maybe' } },
    });
    expect(wrong.error.code).toBe(-32_602);
    const decided = { action: 'accept', content: { decision: 'allow_once' } };
    expect(await taskRpc(hub, 'tasks/update', { taskId, inputResponses: { [key]: decided } })).toMatchObject({
      resultType: 'complete',
    });
    await expect.poll(() => statusOf(hub, taskId), PATIENCE).toBe('completed');

    const ada = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body.token;
    const hers = await taskRpc(hub, 'tools/call', callOf('SendMessage', prompt), { token: ada });
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${hers.taskId}`)).body.task.reason, PATIENCE)
      .toBe('waiting_approval');
    expect(await taskRpc(hub, 'tasks/get', { taskId: hers.taskId }, { token: ada })).toMatchObject({
      status: 'working',
    });
  });

  it('is cancelled, once and for good; a task of one caller is unknown to every other', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const [ada, bob] = await Promise.all(
      ['ada', 'bob'].map(async (agent) => (await hub.ask('POST', '/api/tokens', { agent })).body.token),
    );
    const { taskId } = await taskRpc(hub, 'tools/call', sendOf('forever'), { token: ada });
    for (const token of [bob, hub.token])
      for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update'])
        expect(await taskRpc(hub, method, { taskId, inputResponses: {} }, { token })).toMatchObject({
          error: { code: -32_602, message: 'Invalid params: unknown taskId' },
        });
    const reader = (await hub.ask('POST', '/api/tokens', { agent: 'ada', scopes: ['board:read'] })).body
      .token;
    expect(await taskRpc(hub, 'tasks/get', { taskId }, { token: reader })).toHaveProperty('error');
    for (let i = 0; i < 2; i += 1)
      expect(await taskRpc(hub, 'tasks/cancel', { taskId }, { token: ada })).toMatchObject({
        resultType: 'complete',
      });
    expect(await hub.over(taskId)).toMatchObject({ status: 'cancelled' });
    expect(await taskRpc(hub, 'tasks/get', { taskId }, { token: ada })).toMatchObject({
      status: 'cancelled',
    });
  });

  it('outlives the hub: what was done is still there, what was under way has failed', async () => {
    const first = await dispatchHub(engine);
    allow(first);
    const { taskId: done } = await taskRpc(first, 'tools/call', sendOf('say before'));
    await first.over(done);
    const { taskId: lost } = await taskRpc(first, 'tools/call', sendOf('forever'));
    await first.hub.close();
    const next = await openAt(first.place, first.home);
    expect(await taskRpc(next, 'tasks/get', { taskId: done })).toMatchObject({
      status: 'completed',
      result: { structuredContent: { content: 'before' } },
    });
    expect(await taskRpc(next, 'tasks/get', { taskId: lost })).toMatchObject({
      status: 'failed',
      error: { code: -32_603, message: 'the hub stopped while it ran' },
    });
  });

  it('is told of while it goes on, to whom it belongs', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const ada = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body.token;
    const { taskId: other } = await taskRpc(hub, 'tools/call', sendOf('forever'), { token: ada });
    const { taskId } = await taskRpc(hub, 'tools/call', sendOf('sleep 300\nsay heard'));
    const heard = listenToTasks(hub, [taskId, other]);
    const told = () => heard.filter(({ method }) => method === 'notifications/tasks');
    await expect.poll(() => told().at(-1)?.params.status, PATIENCE).toBe('completed');
    for (const notice of told()) TaskStatusNotificationV2Schema.parse(notice);
    expect(heard[0]).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
    expect(told().at(-1)!.params).toMatchObject({
      taskId,
      result: { structuredContent: { content: 'heard' } },
    });
    expect(told()[0]!.params).toMatchObject({ taskId, status: 'working' });
  });

  it('who has no such extension sees no change', async () => {
    const hub = await dispatchHub(engine);
    allow(hub);
    const plain = { capabilities: { elicitation: {} } };
    expect(await taskRpc(hub, 'tools/call', sendOf('say plain'), plain)).toMatchObject({
      resultType: 'complete',
      structuredContent: { content: 'plain', task: { status: 'done' } },
    });
    const later = await taskRpc(hub, 'tools/call', sendOf('say later', { async: true }), plain);
    expect(later).toMatchObject({
      resultType: 'complete',
      structuredContent: { task_id: expect.any(String) },
    });
    expect(await taskRpc(hub, 'tasks/get', { taskId: later.structuredContent.task_id }, plain)).toMatchObject(
      {
        error: {
          code: -32_021,
          data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
        },
      },
    );
  });

  it('a command in the background is a task, too', async () => {
    const hub = await dispatchHub(engine, {}, { sandbox: 'off' });
    allow(hub);
    const bash = (command: string) => callOf('Bash', { command, background: true });
    const { taskId } = await taskRpc(hub, 'tools/call', bash('sleep 0.3; echo out; echo err >&2; exit 3'));
    const heard = listenToTasks(hub, [taskId]);
    expect(await statusOf(hub, taskId)).toBe('working');
    await expect.poll(() => heard.at(-1)?.params.status, PATIENCE).toBe('completed');
    expect(await taskRpc(hub, 'tasks/get', { taskId })).toMatchObject({
      status: 'completed',
      result: { structuredContent: { stdout: 'out\n', stderr: 'err\n', exit_code: 3, task_id: taskId } },
    });
    const { taskId: endless } = await taskRpc(hub, 'tools/call', bash('sleep 600'));
    const ada = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body.token;
    expect(await taskRpc(hub, 'tasks/cancel', { taskId: endless }, { token: ada })).toHaveProperty('error');
    await taskRpc(hub, 'tasks/cancel', { taskId: endless });
    expect(await statusOf(hub, endless)).toBe('cancelled');
    const plain = await taskRpc(hub, 'tools/call', bash('true'), { capabilities: {} });
    expect(plain).toMatchObject({ structuredContent: { task_id: expect.any(String) } });
  });
});
