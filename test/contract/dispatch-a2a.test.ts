import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';

const talker = {
  family: 'acp',
  command: [
    process.execPath,
    fileURLToPath(new URL('../fixtures/dispatch/acp-agent.mjs', import.meta.url)),
    '/tmp',
  ],
};

/** A2A's own client, with the hub's token. */
async function connect(hub: DispatchHub, token = hub.token) {
  const authed = ((url: string, init: RequestInit = {}) =>
    fetch(url, {
      ...init,
      headers: { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` },
    })) as typeof fetch;
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: authed })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl: fetch }),
    }),
  );
  return factory.createFromUrl(hub.address);
}

const message = (text: string, agent: string, more: object = {}) =>
  ({
    message: {
      messageId: crypto.randomUUID(),
      contextId: 'a thread',
      taskId: '',
      role: 1,
      parts: [{ content: { $case: 'text', value: text }, mediaType: '', filename: '', metadata: undefined }],
      metadata: { agent },
      extensions: [],
      referenceTaskIds: [],
      ...more,
    },
    configuration: undefined,
    metadata: undefined,
    tenant: '',
  }) as any;

eachEngine('A2A', (engine) => {
  it('has a public card that its own client reads, and a message becomes a run that it waits for', async () => {
    const hub = await dispatchHub(engine);
    const card = await (await hub.fetch('/.well-known/agent-card.json')).json();
    expect(card).toMatchObject({
      supportedInterfaces: [
        { url: `${hub.address}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true },
      skills: expect.arrayContaining([expect.objectContaining({ id: 'script' })]),
    });
    expect(
      (
        await hub.fetch('/a2a', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).status,
    ).toBe(401);
    const client = await connect(hub);
    const sent = (await client.sendMessage(message('say over a2a', 'script'))) as any;
    const task = sent.payload?.value ?? sent.task ?? sent;
    expect(JSON.stringify(task)).toContain('over a2a');
    const again: any = await client.getTask({ id: task.id, tenant: '', historyLength: undefined });
    expect(again).toMatchObject({
      id: task.id,
      contextId: 'a thread',
      artifacts: [{ artifactId: 'result' }],
    });
    const listed = await client.listTasks({
      contextId: 'a thread',
      tenant: '',
      status: 0,
      pageToken: '',
    } as any);
    expect(listed.tasks.map(({ id }: any) => id)).toEqual([task.id]);
  });

  it('streams what is said and how it stands, until the end', async () => {
    const hub = await dispatchHub(engine);
    const client = await connect(hub);
    const kinds: string[] = [];
    let text = '';
    for await (const event of client.sendMessageStream(message('say one\nsleep 100\nsay two', 'script'))) {
      const { $case, value } = (event as any).payload;
      kinds.push($case);
      if ($case === 'artifactUpdate') text += `${value.artifact.parts[0].content.value} `;
    }
    expect(text).toBe('one two ');
    expect(kinds[0]).toBe('task');
    expect(kinds.at(-1)).toBe('statusUpdate');
  });

  it('cancels once, knows no strangers, and refuses what is over', async () => {
    const hub = await dispatchHub(engine);
    const id = await hub.start('forever');
    const ask = async (method: string, params: object) =>
      (await hub.ask('POST', '/a2a', { jsonrpc: '2.0', id: 7, method, params })).body;
    expect(await ask('CancelTask', { id })).toMatchObject({
      id: 7,
      result: { status: { state: 'TASK_STATE_CANCELED' } },
    });
    expect((await ask('CancelTask', { id })).error.code).toBe(-32_002);
    expect((await ask('GetTask', { id: 'nope' })).error.code).toBe(-32_001);
    expect((await ask('SubscribeToTask', { id })).error.code).toBe(-32_004);
    expect((await ask('Nonsense', {})).error.code).toBe(-32_601);
    expect((await ask('SendMessage', {})).error.code).toBe(-32_602);
    expect((await ask('SendMessage', message('x', 'nobody'))).error.code).toBe(-32_602);
    expect((await ask('GetExtendedAgentCard', {})).error.code).toBe(-32_007);
  });

  it('a call that waits for approval is input required, and a person answers it', async () => {
    const hub = await dispatchHub(engine, {
      talker: { ...talker, command: [...talker.command.slice(0, 2), freshFolder()] },
    });
    const ask = async (params: object, token = hub.token) =>
      (await hub.ask('POST', '/a2a', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params }, token)).body;
    const plain = (text: string, more: object = {}) => ({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
    });
    const { result } = await ask({ ...plain('ask npm test'), metadata: { agent: 'talker' } });
    expect(result.task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const { id } = result.task;
    await ask({ ...plain('allow_once', { taskId: id }), configuration: { returnImmediately: true } });
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.result, PATIENCE)
      .toBe('[npm test: yes]');
  });
});
