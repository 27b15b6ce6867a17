import { describe, expect, it } from 'vitest';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { faulty, npmServer, openSourcesHub, type SourcesHub } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;
const LEAN = '/mcp?profile=lean';

/** JSON has about four characters a token; three is on the safe side. */
const tokensOf = (value: unknown) => Math.ceil(JSON.stringify(value).length / 3);

const EVERY_DAY = [
  'tasks__list_tasks',
  'tasks__get_task',
  'tasks__create_task',
  'tasks__claim_task',
  'tasks__claim_next_task',
  'tasks__update_task_status',
  'tasks__heartbeat_task',
  'tasks__submit_evidence',
  'tasks__add_comment',
  'memory__memory_search',
  'memory__memory_save',
  'teamchat__team_chat_post',
  'teamchat__team_chat_subscribe',
  'PeerSend',
  'PeerInbox',
  'whoami',
  'ToolSearch',
  'ToolDescribe',
  'ToolCall',
];
type Listed = Readonly<{ name: string; description: string; inputSchema: object; outputSchema?: object }>;
const listedBy = async (hub: SourcesHub): Promise<Listed[]> =>
  (await hub.ask('tools/list', {}, '/mcp')).result.tools;
const budgetOf = (tools: readonly Listed[]) =>
  tools.reduce(
    (sum, { name, description, inputSchema }) =>
      sum + Math.ceil(JSON.stringify({ name, description, inputSchema }).length / 4),
    0,
  );

describe('the default view', () => {
  it('lists what was used lately in this project first, and the same for as long as a session lasts', async () => {
    const hub = await openSourcesHub(
      { one: { command: faulty('good'), trust: 'all' }, two: { command: faulty('good'), trust: 'all' } },
      { tools: { budget: 1_000 } },
    );
    await hub.ready('one', 'two');
    const { token } = hub;
    const open = async () => {
      const opened = await hub.rpc('/mcp', 'initialize', {}, { token });
      const session = opened.headers.get('mcp-session-id')!;
      return async () => {
        const { body } = await hub.rpc('/mcp', 'tools/list', {}, { token, session });
        const names = body.result.tools.map(({ name }: Listed) => name) as string[];
        expect(names).toEqual(expect.arrayContaining(['ToolCall', 'ToolDescribe', 'ToolSearch']));
        return ['one', 'two'].filter(
          (source) => names.filter((name) => name.startsWith(source)).length === 11,
        );
      };
    };
    const before = await open();
    expect(await before()).toEqual(['one']);
    expect(text(await hub.call('two__ok', {}, '/mcp'))).toBe('ok done');
    expect(await before()).toEqual(['one']);
    expect(await (await open())()).toEqual(['two']);
  });

  it('of a source that is not there, everything says why', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub(
      {
        slow: { command: faulty('never-starts'), trust: 'all' },
        broken: { command: faulty('exits'), trust: 'all' },
        off: { command: faulty('good'), trust: 'all', enabled: false },
        odd: { trust: 'all' },
      },
      {
        profiles: {
          wall: ['tasks__*', 'ToolCall'],
          named: { allow: ['slow__*'], rename: { slow__ok: 'go' } },
        },
      },
    );
    await expect.poll(async () => (await hub.state('broken')).state).toBe('failing');
    const why = {
      slow: /^The source slow is not there: it is still starting\./,
      broken: /^The source broken is not there: .*no configuration was found/s,
      off: /^The source off is not there: it is switched off\./,
      odd: /^The entry odd cannot be used: /,
    };
    for (const [source, words] of Object.entries(why)) {
      const name = `${source}__ok`;
      for (const path of ['/mcp', LEAN, '/mcp?profile=full']) {
        const direct = await hub.call(name, {}, path);
        expect(direct.isError, path).toBe(true);
        expect(text(direct)).toMatch(words);
      }
      for (const finder of ['ToolCall', 'ToolDescribe'])
        expect(text(await hub.call(finder, { name }, LEAN)), finder).toMatch(words);
      const { results, absent } = (await hub.call('ToolSearch', { query: 'ok', source }, LEAN))
        .structuredContent;
      expect([results, absent]).toEqual([[], [expect.stringMatching(words)]]);
      expect((await hub.ask('prompts/get', { name })).error.message).toMatch(words);
    }
    expect((await hub.call('slow__ok', {}, '/mcp')).structuredContent).toMatchObject({
      code: 'unavailable',
      source: 'slow',
      state: 'starting',
    });
    expect(text(await hub.call('ok', {}, '/mcp/source/slow'))).toMatch(why.slow);
    expect((await hub.call('ToolSearch', { query: 'ok' }, LEAN)).structuredContent.absent).toHaveLength(3);
    expect(text(await hub.call('go', {}, '/mcp?profile=named'))).toMatch(why.slow);
    const unknown = await hub.ask('tools/call', { name: 'slow__ok', arguments: {} }, '/mcp?profile=wall');
    expect(unknown.error.message).toBe('Unknown tool: slow__ok');
    const { token } = await hub.rest('POST', '/api/tokens', { agent: 'ada', scopes: ['hub:read'] });
    const asAda = await hub.rpc(
      '/mcp',
      'tools/call',
      { name: 'slow__ok', arguments: {}, _meta: MODERN_META },
      { token },
    );
    expect(asAda.body.error.message).toBe('Unknown tool: slow__ok');
    expect(JSON.stringify((await hub.rest('GET', '/api/tools/audit')).audit)).toContain(
      'unknown-tool:slow__ok',
    );
  });
});

describe('the lean view', () => {
  it(
    'is at most 2,000 tokens whatever is behind it, and everything is one search away',
    { timeout: 60_000 },
    async () => {
      const hub = await openSourcesHub({
        everything: { command: npmServer('everything', 'stdio'), trust: 'all', tags: ['demo'] },
        many: { command: faulty('many'), trust: 'all' },
      });
      await hub.ready('everything', 'many');
      const { tools } = (await hub.ask('tools/list', {}, LEAN)).result;
      expect(
        tools.map(({ name }: { name: string }) => name).filter((name: string) => name !== 'whoami'),
      ).toEqual(['ToolCall', 'ToolDescribe', 'ToolSearch']);
      expect(tokensOf(tools)).toBeLessThanOrEqual(2_000);

      const standard = await listedBy(hub);
      const names = standard.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(EVERY_DAY));
      const listedOf = (source: string) => names.filter((name) => name.startsWith(`${source}__`)).length;
      expect(listedOf('everything')).toBe((await hub.rest('GET', '/api/sources/everything')).source.tools);
      expect(listedOf('many')).toBeGreaterThan(0);
      expect(listedOf('many')).toBeLessThan(100);
      expect(budgetOf(standard)).toBeLessThanOrEqual(6_000);
      expect(budgetOf(standard.filter(({ name }) => EVERY_DAY.includes(name)))).toBeLessThanOrEqual(4_000);
      const opened = await hub.rpc('/mcp', 'initialize', {}, { token: hub.token });
      const session = opened.headers.get('mcp-session-id')!;
      const legacy = await hub.rpc('/mcp', 'tools/list', {}, { token: hub.token, session });
      expect(legacy.body.result.tools).toEqual(standard);

      const search = async (args: object) => (await hub.call('ToolSearch', args, LEAN)).structuredContent;
      const { results, searched } = await search({ query: 'add two numbers together' });
      expect(results[0]).toMatchObject({
        name: 'everything__get-sum',
        why: expect.stringContaining('number'),
      });
      expect(results.length).toBeLessThanOrEqual(8);
      expect(searched).toBeGreaterThan(1_000);
      expect(
        (await search({ query: 'sum', source: 'tasks' })).results.every(({ name }: { name: string }) =>
          name.startsWith('tasks__'),
        ),
      ).toBe(true);
      expect(
        (await search({ query: 'message', tag: 'demo', limit: 50 })).results.every(
          ({ name }: { name: string }) => name.startsWith('everything__'),
        ),
      ).toBe(true);
      expect(
        (await search({ query: 'echo', detail: 'schema', limit: 1 })).results[0].inputSchema.properties,
      ).toHaveProperty('message');
      expect((await search({ query: 'echo', detail: 'name', limit: 1 })).results[0]).not.toHaveProperty(
        'description',
      );
      expect((await search({ query: 'ToolSearch', limit: 1 })).results[0].name).toBe('ToolSearch');
      expect(await hub.call('ToolSearch', { query: 'x', limit: 51 }, LEAN)).toMatchObject({ isError: true });

      expect(
        (await hub.call('ToolDescribe', { name: 'everything__get-sum' }, LEAN)).structuredContent.inputSchema
          .required,
      ).toEqual(['a', 'b']);
      expect(
        text(await hub.call('ToolCall', { name: 'everything__get-sum', arguments: { a: 2, b: 5 } }, LEAN)),
      ).toContain('7');
      expect(text(await hub.call('everything__get-sum', { a: 2, b: 5 }, LEAN))).toContain('7');
      const structured = await hub.call(
        'ToolCall',
        { name: 'everything__get-structured-content', arguments: { location: 'Chicago' } },
        LEAN,
      );
      expect(structured.structuredContent).toHaveProperty('temperature');
      const own = await hub.call(
        'ToolCall',
        { name: 'tasks__create_task', arguments: { title: 'through ToolCall' } },
        LEAN,
      );
      expect(own.structuredContent.title).toBe('through ToolCall');
    },
  );

  it('refusals teach', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub({
      everything: { command: npmServer('everything', 'stdio'), trust: 'all' },
    });
    await hub.ready('everything');
    const unknown = await hub.call('ToolCall', { name: 'everything__get_sum', arguments: {} }, LEAN);
    expect(unknown).toMatchObject({ isError: true, structuredContent: { code: 'not_found' } });
    expect(unknown.structuredContent.nearest[0]).toBe('everything__get-sum');
    const wrong = await hub.call('ToolCall', { name: 'everything__get-sum', arguments: { a: 'two' } }, LEAN);
    expect(wrong).toMatchObject({
      isError: true,
      structuredContent: { inputSchema: { required: ['a', 'b'] } },
    });
    expect(text(wrong)).toContain('a: ');
    expect(await hub.call('ToolCall', { name: 'ToolCall', arguments: {} }, LEAN)).toMatchObject({
      isError: true,
    });
    const { audit } = await hub.rest('GET', '/api/tools/audit?limit=20');
    expect(JSON.stringify(audit)).toContain('everything__get-sum');
  });

  it(
    'a search follows changes at once, and a source that is gone is not found',
    { timeout: 30_000 },
    async () => {
      const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all' } });
      await hub.ready('one');
      const found = async () =>
        (await hub.call('ToolSearch', { query: 'environment' }, LEAN)).structuredContent.results.map(
          ({ name }: { name: string }) => name,
        );
      expect(await found()).toContain('one__environment');
      await hub.rest('POST', '/api/sources/one/switch', { enabled: false });
      expect(await found()).not.toContain('one__environment');
    },
  );
});

describe('named views', () => {
  const view = {
    allow: ['one__sleep', 'one__ok', 'tasks__list_tasks', 'ToolSearch', 'ToolCall'],
    rename: { one__ok: 'fine' },
    describe: { one__ok: 'Says that all is well.' },
    lock: { one__sleep: { ms: 40 } },
  };

  it(
    'are walls: renamed, described and locked, and nothing else is reached',
    { timeout: 30_000 },
    async () => {
      const hub = await openSourcesHub(
        { one: { command: faulty('good'), trust: 'all' } },
        { profiles: { narrow: view, plain: ['one__*'] } },
      );
      await hub.ready('one');
      const path = '/mcp?profile=narrow';
      expect(await hub.names(path)).toEqual([
        'ToolCall',
        'ToolSearch',
        'fine',
        'one__sleep',
        'tasks__list_tasks',
      ]);
      const { tools } = (await hub.ask('tools/list', {}, path)).result;
      expect(tools.find(({ name }: { name: string }) => name === 'fine').description).toBe(
        'Says that all is well.',
      );
      expect(
        tools.find(({ name }: { name: string }) => name === 'one__sleep').inputSchema.properties,
      ).toEqual({});
      expect(text(await hub.call('fine', {}, path))).toBe('ok done');
      const begun = performance.now();
      expect(text(await hub.call('one__sleep', { ms: 60_000 }, path))).toBe('sleep done');
      expect(performance.now() - begun).toBeLessThan(5_000);
      for (const name of ['one__ok', 'one__pid', 'tasks__create_task', 'ToolDescribe'])
        expect((await hub.ask('tools/call', { name, arguments: {} }, path)).error.message, name).toContain(
          'Unknown tool',
        );
      expect(await hub.call('ToolCall', { name: 'one__pid', arguments: {} }, path)).toMatchObject({
        isError: true,
      });
      expect(text(await hub.call('ToolCall', { name: 'fine', arguments: {} }, path))).toBe('ok done');
      const { results } = (
        await hub.call('ToolSearch', { query: 'pid sleep count fine tasks', limit: 50 }, path)
      ).structuredContent;
      expect(results.map(({ name }: { name: string }) => name).toSorted()).toEqual([
        'ToolCall',
        'fine',
        'one__sleep',
        'tasks__list_tasks',
      ]);
      const { token } = await hub.rest('POST', '/api/tokens', { agent: 'ada', profile: 'narrow' });
      const asAda = async (url: string, method: string, params: object) =>
        hub.rpc(url, method, { ...params, _meta: MODERN_META }, { token });
      const listed = (await asAda('/mcp?profile=full', 'tools/list', {})).body.result.tools.map(
        ({ name }: { name: string }) => name,
      );
      expect(listed).toEqual(['ToolCall', 'ToolSearch', 'fine', 'one__sleep', 'tasks__list_tasks']);
      for (const url of ['/mcp/source/one', '/api/mcp/tasks'])
        expect((await asAda(url, 'tools/list', {})).status, url).toBe(403);
      expect(await hub.names('/mcp?profile=plain')).toEqual(expect.arrayContaining(['one__ok', 'one__pid']));
    },
  );
});
