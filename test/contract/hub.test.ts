import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTestHub, type TestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { faulty } from '../fixtures/sources.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

const ask = async (hub: TestHub, method: string, params: object = {}, query = '') => {
  const name = 'uri' in params ? { name: params.uri } : {};
  const { body } = await hub.rpc(
    `/mcp${query}`,
    method,
    { ...params, _meta: MODERN_META, ...name },
    { token: hub.token },
  );
  return body;
};
const namesOf = async (hub: TestHub, query = '') =>
  (await ask(hub, 'tools/list', {}, query)).result.tools.map(
    (tool: { name: string }) => tool.name,
  ) as string[];
const call = async (hub: TestHub, name: string, args: object, query = '') =>
  (await ask(hub, 'tools/call', { name, arguments: args }, query)).result.structuredContent;

describe('the catalogue', () => {
  it('shows the tools of every server under its name, sorted, the same each time', async () => {
    const hub = await openTestHub();
    const names = await namesOf(hub);
    expect(names).toEqual(names.toSorted());
    expect(names).toEqual(
      expect.arrayContaining(['tasks__list_tasks', 'tasks__claim_task', 'memory__memory_save']),
    );
    const texts = await Promise.all(
      [1, 2].map(async () => JSON.stringify((await ask(hub, 'tools/list')).result.tools)),
    );
    expect(texts[0]).toBe(texts[1]);
  });

  it('has views: lean, full and the named ones of config.yaml', async () => {
    const home = freshFolder();
    writeFileSync(join(home, 'config.yaml'), 'profiles:\n  reviewer: [tasks__get_task, memory__*]\n');
    const hub = await openTestHub({ home });
    const [standard, lean, full, named] = await Promise.all(
      ['', '?profile=lean', '?profile=full', '?profile=reviewer'].map((query) => namesOf(hub, query)),
    );
    expect(lean!.length).toBeLessThan(standard!.length);
    expect(standard!.length).toBeLessThan(full!.length);
    expect(full).toEqual(await namesOf(hub, '?profile=extended'));
    expect(full).toContain('tasks__claim_next_task');
    expect(named!.filter((name) => name.startsWith('tasks__'))).toEqual(['tasks__get_task']);
    expect(named).toContain('memory__memory_search');
    expect((await ask(hub, 'tools/list', {}, '?profile=nope')).error.message).toContain(
      'default, extended, reviewer, full, lean',
    );
    expect(
      (await ask(hub, 'tools/call', { name: 'tasks__list_tasks', arguments: {} }, '?profile=reviewer')).error
        .code,
    ).toBe(-32602);
  });

  it.each(['full', 'extended'])('shows a tool that is also a guest elsewhere once in %s', async (profile) => {
    const names = await namesOf(await openTestHub(), `?profile=${profile}`);
    const reserving = names.filter((name) => /(?:reserve|release)_files|list_reservations/.test(name));
    expect(reserving).toEqual(['list_reservations', 'release_files', 'reserve_files']);
    expect(names.filter((name) => name.endsWith('whoami'))).toEqual(['whoami']);
  });

  it('calls the very same tool', async () => {
    const hub = await openTestHub();
    const task = await call(hub, 'tasks__create_task', { title: 'from the hub' });
    const direct = await hub.rpc('/api/mcp/tasks', 'tools/call', {
      name: 'get_task',
      arguments: { taskId: task.id },
      _meta: MODERN_META,
    });
    expect(direct.body.result.structuredContent.task.title).toBe('from the hub');
    expect(
      (await ask(hub, 'tools/call', { name: 'create_task', arguments: { title: 'x' } })).error.code,
    ).toBe(-32602);
  });

  it('binds by the same parameters as the servers themselves', async () => {
    const hub = await openTestHub();
    const task = await call(hub, 'tasks__create_task', { title: 'mine', teamId: 'blue' }, '?scopeTeamId=red');
    expect(task.teamId).toBe('red');
    expect((await call(hub, 'tasks__list_tasks', {}, '?scopeTeamId=blue')).total).toBe(0);
  });

  it('follows the specification for sessions', async () => {
    const hub = await openTestHub();
    const { token } = hub;
    expect((await hub.rpc('/mcp', 'tools/list', {}, { token })).status).toBe(400);
    expect((await hub.rpc('/mcp', 'tools/list', {}, { token, session: 'nope' })).status).toBe(404);
    const opened = await hub.rpc('/mcp', 'initialize', {}, { token });
    expect(opened.body.result.instructions).toContain('tasks__list_tasks');
    expect((await ask(hub, 'server/discover')).result.instructions).toBe(opened.body.result.instructions);
    const session = opened.headers.get('mcp-session-id')!;
    expect((await hub.rpc('/mcp', 'tools/list', {}, { token, session })).status).toBe(200);
  });
});

describe('what there is to read', () => {
  it('is listed, with a template for tasks', async () => {
    const hub = await openTestHub();
    const { resources } = (await ask(hub, 'resources/list')).result;
    expect(resources.map((each: { uri: string }) => each.uri)).toEqual(
      expect.arrayContaining(['holdfast://board', 'holdfast://guide']),
    );
    const { resourceTemplates } = (await ask(hub, 'resources/templates/list')).result;
    expect(resourceTemplates.map((each: { uriTemplate: string }) => each.uriTemplate)).toContain(
      'holdfast://tasks/{id}',
    );
  });

  it('the guide names every server', async () => {
    const hub = await openTestHub();
    const [guide] = (await ask(hub, 'resources/read', { uri: 'holdfast://guide' })).result.contents;
    expect(guide.mimeType).toBe('text/markdown');
    for (const server of ['tasks', 'memory']) expect(guide.text).toContain(`\`${server}__…\``);
  });

  it('the board and a task, as far as the caller may see', async () => {
    const hub = await openTestHub();
    const task = await call(hub, 'tasks__create_task', { title: 'red work', teamId: 'red', status: 'todo' });
    const read = async (uri: string, query = '') => ask(hub, 'resources/read', { uri }, query);
    const board = JSON.parse((await read('holdfast://board')).result.contents[0].text);
    expect(board).toMatchObject({
      counts: { todo: 1, done: 0 },
      ready: [{ id: task.id, title: 'red work', team: 'red' }],
      inProgress: [],
    });
    expect(JSON.parse((await read(`holdfast://tasks/${task.id}`)).result.contents[0].text).task.title).toBe(
      'red work',
    );
    expect(
      JSON.parse((await read('holdfast://board', '?scopeTeamId=blue')).result.contents[0].text).counts.todo,
    ).toBe(0);
    for (const uri of [
      `holdfast://tasks/${task.id}`,
      'holdfast://tasks/nope',
      'holdfast://nope',
      'file:///etc/passwd',
    ])
      expect((await read(uri, '?scopeTeamId=blue')).error.message).toBe(`Resource not found: ${uri}`);
  });
});

describe('prompts', () => {
  it('are listed and start from the board', async () => {
    const hub = await openTestHub();
    const task = await call(hub, 'tasks__create_task', { title: 'write the parser' });
    const { prompts } = (await ask(hub, 'prompts/list')).result;
    expect(prompts.map((prompt: { name: string }) => prompt.name)).toEqual([
      'hand-over',
      'plan-into-tasks',
      'stand-up',
    ]);
    const get = (name: string, args: object = {}) => ask(hub, 'prompts/get', { name, arguments: args });
    const [data, request] = (await get('stand-up')).result.messages;
    expect(data.content.resource).toMatchObject({ uri: 'holdfast://board', mimeType: 'application/json' });
    expect(data.content.resource.text).toContain('write the parser');
    expect(request.content.text).toContain('stand-up');
    expect((await get('plan-into-tasks', { goal: 'a parser' })).result.messages[1].content.text).toContain(
      'a parser',
    );
    expect((await get('plan-into-tasks')).error.message).toContain('missing argument goal');
    expect((await get('hand-over', { task: task.id, to: 'bob' })).result.messages[1].content.text).toContain(
      '"bob"',
    );
    expect((await get('hand-over', { task: 'nope' })).error.data.code).toBe('not_found');
  });

  it('complete tasks, teams and agents from the board', async () => {
    const hub = await openTestHub();
    const task = await call(hub, 'tasks__create_task', {
      title: 'write the parser',
      teamId: 'red',
      status: 'todo',
    });
    await call(hub, 'tasks__claim_task', { taskId: task.id, assigneeAgentId: 'ada' });
    const complete = async (ref: object, name: string, value: string, query = '') =>
      (await ask(hub, 'completion/complete', { ref, argument: { name, value } }, query)).result.completion
        .values;
    const prompt = (name: string) => ({ type: 'ref/prompt', name });
    expect(await complete(prompt('hand-over'), 'task', 'parser')).toEqual([task.id]);
    expect(
      await complete({ type: 'ref/resource', uri: 'holdfast://tasks/{id}' }, 'id', task.id.slice(0, 8)),
    ).toEqual([task.id]);
    expect(await complete(prompt('stand-up'), 'team', 'r')).toEqual(['red']);
    expect(await complete(prompt('hand-over'), 'to', '')).toEqual(['ada']);
    expect(await complete(prompt('stand-up'), 'team', '', '?scopeTeamId=blue')).toEqual([]);
    expect(await complete(prompt('plan-into-tasks'), 'goal', 'x')).toEqual([]);
  });
});

/** Everything one listener hears, as it comes. */
async function listenTo(hub: TestHub, uris: readonly string[], query = ''): Promise<{ text: string }> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const params = {
    notifications: { resourceSubscriptions: uris, toolsListChanged: true },
    _meta: MODERN_META,
  };
  const response = await hub.fetch(`/mcp${query}`, {
    method: 'POST',
    signal: stop.signal,
    headers: {
      authorization: `Bearer ${hub.token}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'subscriptions/listen', params }),
  });
  const heard = { text: '' };
  const reading = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard.text += chunk;
  };
  reading().catch((error: Error) => expect(error.name).toBe('AbortError'));
  return heard;
}

describe('a watched board', () => {
  const UPDATED = 'notifications/resources/updated';

  it('tells when a task changes', async () => {
    const hub = await openTestHub();
    const heard = await listenTo(hub, ['holdfast://board', 'holdfast://tasks/nope']);
    await expect.poll(() => heard.text).toContain('acknowledged');
    expect(heard.text).not.toContain('nope');
    await call(hub, 'tasks__create_task', { title: 'news' });
    await expect.poll(() => heard.text).toContain(UPDATED);
    expect(heard.text).toContain('"uri":"holdfast://board"');
  });

  it('tells a team of its own tasks and of nothing else', async () => {
    const hub = await openTestHub();
    const [red, blue] = await Promise.all(
      ['red', 'blue'].map((team) => listenTo(hub, ['holdfast://board'], `?scopeTeamId=${team}`)),
    );
    await call(hub, 'tasks__create_task', { title: 'for red', teamId: 'red' });
    await expect.poll(() => red!.text).toContain(UPDATED);
    await call(hub, 'tasks__create_task', { title: 'for blue', teamId: 'blue' });
    await expect.poll(() => blue!.text).toContain(UPDATED);
    for (const heard of [red!, blue!]) expect(heard.text.split(UPDATED)).toHaveLength(2);
  });
});

describe('holdfast serve', () => {
  it(
    'serves the catalogue on stdio, alone and beside a hub, and ends with its client',
    { timeout: 90_000 },
    async () => {
      const env = freshHome();
      const alone = await startStdio(env, 'holdfast', ['serve', '--profile', 'lean']);
      const made = await alone.call('tasks__create_task', { title: 'kept' });
      expect(made.structuredContent['title']).toBe('kept');
      expect(await alone.end()).toBe(0);
      const one = { command: faulty('good'), trust: 'all' };
      writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), JSON.stringify({ sources: { one } }));
      await startHub(env);
      const beside = await startStdio(env, 'holdfast', ['serve']);
      const listed = async () =>
        ((await beside.request('tools/list')).result!['tools'] as { name: string }[]).map(({ name }) => name);
      await expect.poll(listed).toEqual(expect.arrayContaining(['ToolCall', 'ToolDescribe', 'one__ok']));
      expect((await beside.call('tasks__list_tasks')).structuredContent['total']).toBe(1);
      expect((await beside.request('resources/read', { uri: 'holdfast://board' })).result).toBeDefined();
      expect(await beside.end()).toBe(0);
    },
  );

  it('has the file and shell tools in the folder it is given', { timeout: 90_000 }, async () => {
    const workspace = freshFolder();
    writeFileSync(join(workspace, 'notes.txt'), 'kelp');
    const client = await startStdio(freshHome(), 'holdfast', [
      'serve',
      '--workspace',
      workspace,
      '--profile',
      'full',
    ]);
    const { result } = await client.request('tools/list');
    const names = (result!['tools'] as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'Bash',
        'BashKill',
        'BashOutput',
        'Edit',
        'Glob',
        'Grep',
        'Read',
        'WebFetch',
        'Write',
      ]),
    );
    expect((await client.call('Read', { path: 'notes.txt' })).structuredContent['content']).toBe('kelp');
    expect(await client.end()).toBe(0);
  });

  it(
    'keeps them in a scratch folder of its own until it is given one, and does not list them before',
    { timeout: 90_000 },
    async () => {
      const env = freshHome();
      const client = await startStdio(env, 'holdfast', ['serve']);
      const { result } = await client.request('tools/list');
      const listed = (result!['tools'] as { name: string }[]).map(({ name }) => name);
      expect(listed.length).toBeLessThanOrEqual(20);
      expect(listed).not.toEqual(expect.arrayContaining(['Bash']));
      expect((await client.call('Glob', { pattern: '**' })).structuredContent['matches']).toEqual([]);
      expect(statSync(join(env['HOLDFAST_HOME']!, 'workspace')).mode & 0o777).toBe(0o700);
      const refused = await client.call('Read', { path: join(env['HOLDFAST_HOME']!, 'token') });
      expect(refused.isError).toBe(true);
      expect(refused.structuredContent).toMatchObject({ code: 'forbidden', denied: 'workspace:outside' });
      expect(JSON.stringify(refused)).toContain('--workspace');
      expect(await client.end()).toBe(0);
    },
  );
});
