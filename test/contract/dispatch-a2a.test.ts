import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import { createHmac } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { dispatchHub, type DispatchHub, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { hookListener } from '../fixtures/hook-listener.ts';

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

/** One request as it goes over the wire. */
async function rpc(hub: DispatchHub, method: string, params: object, more: Wire = {}): Promise<any> {
  const { version = '1.0', token = hub.token, query = '' } = more;
  const response = await hub.fetch(`/a2a${query}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      ...(version !== null && { 'a2a-version': version }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  });
  return response.json();
}

type Wire = Readonly<{ version?: string | null; token?: string; query?: string }>;

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
  it('shows its agents to who is known here, and to no stranger', async () => {
    const hub = await dispatchHub(engine);
    const skills = async (headers: Record<string, string>) => {
      const response = await hub.fetch('/.well-known/agent-card.json', { headers });
      expect(response.status).toBe(200);
      return ((await response.json()) as { skills: object[] }).skills.length > 0;
    };
    const made = async (more: object) =>
      (await hub.ask('POST', '/api/tokens', { agent: 'ada', ...more })).body;
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    const [agent, narrow, gone] = [await made({}), await made({ scopes: ['board:read'] }), await made({})];
    await hub.ask('DELETE', `/api/tokens/${gone.record.id}`);
    expect(await skills({})).toBe(true);
    expect(await skills(bearer(hub.token))).toBe(true);
    expect(await skills(bearer(agent.token))).toBe(true);
    for (const stranger of [narrow.token, gone.token, 'hf_wrong', 'x'])
      expect([stranger, await skills(bearer(stranger))]).toEqual([stranger, false]);
    expect(await skills({ 'x-forwarded-for': '203.0.113.9' })).toBe(false);

    const card = (headers: Record<string, string>) => hub.fetch('/.well-known/agent-card.json', { headers });
    const { headers } = await card({});
    const etag = headers.get('etag')!;
    expect(headers.get('cache-control')).toBe('private, max-age=60');
    expect(headers.get('vary')).toBe('authorization');
    for (const kept of [etag, `"old", W/${etag}`, '*']) {
      const same = await card({ 'if-none-match': kept });
      expect([same.status, await same.text(), same.headers.get('etag')], kept).toEqual([304, '', etag]);
    }
    // Whoever sees less has another card.
    const less = await card({ 'if-none-match': etag, ...bearer('x') });
    expect([less.status, less.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('has a public card that its own client reads, and a message becomes a run that it waits for', async () => {
    const hub = await dispatchHub(engine);
    const card = await (await hub.fetch('/.well-known/agent-card.json')).json();
    expect(card).toMatchObject({
      supportedInterfaces: [
        { url: `${hub.address}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      ],
      capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false, extensions: [] },
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
    const ask = (method: string, params: object) => rpc(hub, method, params);
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
    expect((await ask('GetExtendedAgentCard', {})).error).toMatchObject({
      code: -32_004,
      data: [{ reason: 'UNSUPPORTED_OPERATION', domain: 'a2a-protocol.org' }],
    });
    const picture = { messageId: 'm', role: 'ROLE_USER', parts: [{ url: 'https://example.com/a.png' }] };
    expect((await ask('SendMessage', { message: picture })).error.code).toBe(-32_005);
  });

  it('a call that waits for approval is input required, and a person answers it', async () => {
    const hub = await dispatchHub(engine, {
      talker: { ...talker, command: [...talker.command.slice(0, 2), freshFolder()] },
    });
    const ask = (params: object) => rpc(hub, 'SendMessage', params);
    const plain = (text: string, more: object = {}) => ({
      message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text }], ...more },
    });
    const { result } = await ask({ ...plain('ask npm test'), metadata: { agent: 'talker' } });
    expect(result.task.status).toMatchObject({ state: 'TASK_STATE_INPUT_REQUIRED' });
    const { id } = result.task;
    const answer = plain('allow_once', { task_id: id, message_id: 'mine', messageId: undefined });
    await ask({ ...answer, configuration: { return_immediately: true } });
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.result, PATIENCE)
      .toBe('[npm test: yes]');
    const told = (text: string, messageId: string) => ({ messageId, role: 'ROLE_USER', parts: [{ text }] });
    const said = [told('ask npm test', 'm'), told('allow_once', 'mine')];
    const history = async (params: object) => (await rpc(hub, 'GetTask', { id, ...params })).result.history;
    expect(await history({})).toMatchObject(said);
    expect(await history({ history_length: 1 })).toMatchObject(said.slice(1));
    expect(await history({ historyLength: 0 })).toBeUndefined();
    const [listed] = (await rpc(hub, 'ListTasks', {})).result.tasks;
    expect(listed.history).toMatchObject(said);
  });

  it('speaks 1.0, also with who names no version, and says so to who names another', async () => {
    const hub = await dispatchHub(engine);
    const refused = {
      error: { code: -32_009, data: [{ reason: 'VERSION_NOT_SUPPORTED', domain: 'a2a-protocol.org' }] },
    };
    for (const version of ['0.3', '2.0', '1.1', 'one'])
      expect(await rpc(hub, 'ListTasks', {}, { version }), version).toMatchObject(refused);
    for (const version of ['1.0', '1.0.2', '', null])
      expect(await rpc(hub, 'ListTasks', {}, { version })).toHaveProperty('result');
    const inQuery = { version: null, query: '?A2A-Version=1.0' };
    expect(await rpc(hub, 'ListTasks', {}, inQuery)).toHaveProperty('result');
  });

  it.each([
    ['no JSON', '{', -32_700],
    ['a list', '[]', -32_600],
    ['an id that is none', '{"jsonrpc":"2.0","id":{},"method":"ListTasks"}', -32_600],
    ['no method', '{"jsonrpc":"2.0","id":1}', -32_600],
    ['another JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ListTasks"}', -32_600],
  ])('answers what is no request (%s) as JSON-RPC does', async (_, body, code) => {
    const hub = await dispatchHub(engine);
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${hub.token}` };
    const response = await hub.fetch('/a2a', { method: 'POST', headers, body });
    expect([response.status, await response.json()]).toEqual([
      400,
      { jsonrpc: '2.0', id: null, error: expect.objectContaining({ code }) },
    ]);
  });

  it('takes text and nothing that its agent would not see', async () => {
    const hub = await dispatchHub(engine);
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${hub.token}` };
    const plain = await hub.fetch('/a2a', { method: 'POST', headers, body: '{}' });
    expect([plain.status, await plain.json()]).toMatchObject([
      415,
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32_005,
          data: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED', domain: 'a2a-protocol.org' }],
        },
      },
    ]);
    for (const part of [{ data: { a: 1 } }, { url: 'https://example.com/a.png' }, { raw: 'aGk=' }]) {
      const parts = [{ text: 'say x' }, part];
      const sent = { message: { messageId: 'm', role: 'ROLE_USER', parts }, metadata: { agent: 'script' } };
      expect((await rpc(hub, 'SendMessage', sent)).error).toMatchObject({ code: -32_005 });
    }
  });

  it('says which id is missing, and deletes a push notification config as often as it is asked to', async () => {
    const hub = await dispatchHub(engine);
    const taskId = await hub.start('say x');
    for (const [method, params] of [
      ['GetTask', {}],
      ['CancelTask', { id: '' }],
      ['SubscribeToTask', { id: 5 }],
      ['ListTaskPushNotificationConfigs', {}],
      ['GetTaskPushNotificationConfig', { taskId }],
      ['DeleteTaskPushNotificationConfig', { taskId }],
    ] as const)
      expect((await rpc(hub, method, params)).error, method).toMatchObject({ code: -32_602 });
    const gone = await rpc(hub, 'DeleteTaskPushNotificationConfig', { taskId, id: 'x' });
    expect(gone).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    const spelt = await rpc(hub, 'ListTaskPushNotificationConfigs', { task_id: taskId, page_size: 5 });
    expect(spelt.result).toEqual({ configs: [], nextPageToken: '' });
    const twice = await rpc(hub, 'ListTaskPushNotificationConfigs', { task_id: taskId, taskId });
    expect(twice.error).toMatchObject({ code: -32_602 });
    const unknown = await rpc(hub, 'DeleteTaskPushNotificationConfig', { taskId: 'nope', id: 'x' });
    expect(unknown.error).toMatchObject({ code: -32_001 });
  });

  it('lists page by page, by state, context and time, with as much of each task as was asked for', async () => {
    const hub = await dispatchHub(engine);
    const client = await connect(hub);
    const list = (more: object = {}): Promise<any> =>
      client.listTasks({ contextId: '', tenant: '', status: 0, pageToken: '', ...more } as any);
    for (let i = 0; i < 5; i += 1) await client.sendMessage(message(`say ${i}`, 'script'));
    const open = await hub.start('forever');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${open}`)).body.task.reason, PATIENCE)
      .toBe('running');
    const seen: string[] = [];
    let pageToken = '';
    do {
      const page: any = await list({ pageSize: 2, pageToken });
      expect(page).toMatchObject({ pageSize: 2, totalSize: 6 });
      seen.push(...page.tasks.map(({ id }: any) => id));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(new Set(seen).size).toBe(6);
    expect(seen).toHaveLength(6);
    const times = (await list()).tasks.map(({ status }: any) => status.timestamp);
    expect(times).toEqual(times.toSorted().toReversed());

    const { result: working } = await rpc(hub, 'ListTasks', { status: 'TASK_STATE_WORKING' });
    expect(working).toMatchObject({ totalSize: 1, tasks: [{ id: open }] });
    for (const status of ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_REJECTED'])
      expect((await rpc(hub, 'ListTasks', { status })).result.tasks).toEqual([]);
    expect((await list({ contextId: 'a thread' })).totalSize).toBe(5);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect((await rpc(hub, 'ListTasks', { statusTimestampAfter: later })).result.tasks).toEqual([]);

    const [plain] = (await rpc(hub, 'ListTasks', { contextId: 'a thread' })).result.tasks;
    expect(plain).not.toHaveProperty('artifacts');
    const whole = { contextId: 'a thread', includeArtifacts: true, historyLength: 0 };
    const [full] = (await rpc(hub, 'ListTasks', whole)).result.tasks;
    expect(full.artifacts).toHaveLength(1);
    expect(full).not.toHaveProperty('history');
    for (const bad of [
      { pageSize: 0 },
      { pageSize: 101 },
      { pageSize: 1.5 },
      { pageToken: 'nonsense' },
      { status: 'TASK_STATE_LOST' },
      { statusTimestampAfter: 'soon' },
      { historyLength: -1 },
    ])
      expect((await rpc(hub, 'ListTasks', bad)).error.code, JSON.stringify(bad)).toBe(-32_602);
  });

  it('is followed again by a client that lost its stream', async () => {
    const hub = await dispatchHub(engine);
    const client = await connect(hub);
    const id = await hub.start('say early\nsleep 400\nsay late');
    await expect
      .poll(async () => (await hub.ask('GET', `/v1/biam/tasks/${id}`)).body.task.reason, PATIENCE)
      .toBe('running');
    const kinds: string[] = [];
    for await (const event of client.resubscribeTask({ id, tenant: '' }))
      kinds.push((event as any).payload.$case);
    expect(kinds[0]).toBe('task');
    expect(kinds).toContain('artifactUpdate');
    expect(kinds.at(-1)).toBe('statusUpdate');
  });

  it('pushes how a task stands: signed, again after a failure, and with the proof that was agreed', async () => {
    const hub = await dispatchHub(engine, {}, { dispatch: { 'local-webhooks': true } });
    const client = await connect(hub);
    const { heard, url } = await hookListener(1);
    const token = 'a token of the client';
    const asked = message('say pushed', 'script');
    asked.configuration = {
      acceptedOutputModes: [],
      returnImmediately: true,
      taskPushNotificationConfig: {
        tenant: '',
        id: 'mine',
        taskId: '',
        url,
        token,
        authentication: undefined,
      },
    };
    const sent = (await client.sendMessage(asked)) as any;
    const { id } = sent.payload?.value ?? sent.task ?? sent;
    const states = () => heard.map(({ body }) => body.statusUpdate?.status.state);
    await expect.poll(states, PATIENCE).toContain('TASK_STATE_COMPLETED');
    for (const { headers, text, body } of heard) {
      expect(body.statusUpdate).toMatchObject({ taskId: id, contextId: 'a thread' });
      expect(headers).toMatchObject({
        'content-type': 'application/a2a+json',
        'x-a2a-notification-token': token,
      });
      const signed = `${String(headers['x-holdfast-timestamp'])}.${text}`;
      expect(headers['x-holdfast-signature']).toBe(
        `sha256=${createHmac('sha256', token).update(signed).digest('hex')}`,
      );
    }

    const forever = await hub.start('forever');
    const second = await hookListener();
    const authentication = { scheme: 'Bearer', credentials: 'secret-word' };
    const config = { tenant: '', id: 'two', taskId: forever, url: second.url, token: '', authentication };
    expect(await client.createTaskPushNotificationConfig(config)).toMatchObject({
      id: 'two',
      taskId: forever,
    });
    await client.createTaskPushNotificationConfig({ ...config, id: '' });
    const place = { tenant: '', taskId: forever };
    const listed = await client.listTaskPushNotificationConfig({ ...place, pageSize: 0, pageToken: '' });
    expect(listed.configs).toHaveLength(2);
    const got = await client.getTaskPushNotificationConfig({ ...place, id: 'two' });
    expect(got).toMatchObject({ url: second.url, authentication: { scheme: 'Bearer' } });
    expect(JSON.stringify([listed, got])).not.toContain('secret-word');
    const spare = listed.configs.find(({ id: name }) => name !== 'two')!;
    await client.deleteTaskPushNotificationConfig({ ...place, id: spare.id });
    await expect(client.getTaskPushNotificationConfig({ ...place, id: spare.id })).rejects.toThrow('no such');
    await client.cancelTask({ id: forever, tenant: '', metadata: undefined });
    await expect
      .poll(() => second.heard.map(({ body }) => body.statusUpdate?.status.state), PATIENCE)
      .toContain('TASK_STATE_CANCELED');
    expect(second.heard[0]!.headers.authorization).toBe('Bearer secret-word');
    expect((await hub.ask('GET', '/v1/webhooks')).body.count).toBe(0);
  });

  it('pushes to public addresses only, for persons only, and nothing into a header that is no line', async () => {
    const hub = await dispatchHub(engine);
    const taskId = await hub.start('forever');
    const create = (more: object, wire: Wire = {}) =>
      rpc(hub, 'CreateTaskPushNotificationConfig', { taskId, url: 'https://example.com/', ...more }, wire);
    for (const url of ['http://127.0.0.1:1/', 'http://169.254.169.254/latest', 'file:///etc/passwd', ''])
      expect(await create({ url }), url).toHaveProperty('error');
    expect((await create({ token: 'a\r\nx-evil: 1' })).error.code).toBe(-32_602);
    expect((await create({ taskId: 'nope' })).error.code).toBe(-32_001);
    const { token } = (await hub.ask('POST', '/api/tokens', { agent: 'ada' })).body;
    expect((await create({}, { token })).error.code).toBe(-32_001);
    const push = { url: 'http://10.0.0.1/' };
    for (const name of [
      'taskPushNotificationConfig',
      'task_push_notification_config',
      'push_notification_config',
    ]) {
      const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'say x' }] };
      const sent = { message, configuration: { [name]: push }, metadata: { agent: 'script' } };
      expect(await rpc(hub, 'SendMessage', sent), name).toHaveProperty('error');
    }
    expect((await hub.ask('GET', '/v1/biam/tasks')).body.count).toBe(1);
  });
});
