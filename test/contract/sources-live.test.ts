import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { faulty, npmServer, openSourcesHub, startHttpSource, type SourcesHub } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;
const tool = (name: string) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: {} },
});

async function connect(
  hub: SourcesHub,
  mode: 'legacy' | 'auto',
  path = '/mcp?profile=full',
  set: (client: Client) => void = () => undefined,
): Promise<Client> {
  const heard: string[] = [];
  const client = new Client(
    { name: 'live', version: '0' },
    {
      versionNegotiation: { mode },
      capabilities: { elicitation: { form: {} } },
      listChanged: { tools: { autoRefresh: false, onChanged: () => heard.push('tools') } },
    },
  );
  Object.assign(client, { heard });
  set(client);
  const url = new URL(`${hub.address}${path}`);
  await client.connect(
    new StreamableHTTPClientTransport(url, {
      requestInit: { headers: { authorization: `Bearer ${hub.token}` } },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}
const heardBy = (client: Client) => (client as unknown as { heard: string[] }).heard;

describe.each(['legacy', 'auto'] as const)('a client of the %s era', (mode) => {
  it('hears of changed lists, of progress and log lines, and cancels', { timeout: 30_000 }, async () => {
    const file = join(freshFolder(), 'tools.json');
    writeFileSync(file, JSON.stringify([tool('a')]));
    const hub = await openSourcesHub({
      one: { command: faulty('changing', file), trust: 'all' },
      two: { command: faulty('good'), trust: 'all' },
    });
    await hub.ready('one', 'two');
    const logged: unknown[] = [];
    const client = await connect(hub, mode, undefined, (each) =>
      each.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params.data)),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    writeFileSync(file, JSON.stringify([tool('a'), tool('b')]));
    await expect.poll(() => heardBy(client).length, { timeout: 5_000 }).toBeGreaterThan(0);
    expect(
      (await client.listTools(undefined, { cacheMode: 'refresh' })).tools.map(({ name }) => name),
    ).toContain('one__b');

    const steps: number[] = [];
    const result = await client.callTool(
      {
        name: 'two__sleep',
        arguments: { ms: 200 },
        ...(mode === 'auto' && { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } }),
      },
      { onprogress: ({ progress }) => steps.push(progress) },
    );
    expect(text(result)).toBe('sleep done');
    expect(steps).toEqual([1, 2, 3, 4]);
    expect(logged).toEqual(['slept for 200']);

    expect(heardBy(client), 'uses change no list').toEqual(['tools']);
    const giveUp = new AbortController();
    const call = client.callTool({ name: 'two__never', arguments: {} }, { signal: giveUp.signal });
    setTimeout(() => giveUp.abort(), 200);
    await expect(call).rejects.toThrow(/abort/i);
    expect(text(await client.callTool({ name: 'two__ok', arguments: {} }))).toBe('ok done');
  });

  it.each(['v1', 'v2'] as const)(
    'watches a resource of a server of SDK %s, also after that was gone for a while',
    { timeout: 60_000 },
    async (generation) => {
      const { url, port, process: server } = await startHttpSource(generation);
      const hub = await openSourcesHub({ web: { url, trust: 'all' } });
      await hub.ready('web');
      const updated: string[] = [];
      const client = await connect(hub, mode, undefined, (each) =>
        each.setNotificationHandler(
          'notifications/resources/updated',
          ({ params }) => void updated.push(params.uri),
        ),
      );
      const uri = 'web+lines://all';
      if (mode === 'legacy') await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
      await client.callTool({ name: 'web__append', arguments: { line: 'one' } });
      await expect.poll(() => updated, { timeout: 5_000 }).toEqual([uri]);
      const { contents } = await client.readResource({ uri }, { cacheMode: 'refresh' });
      expect(contents).toMatchObject([{ uri, text: 'one' }]);
      server.kill('SIGKILL');
      await once(server, 'exit');
      await hub.rest('POST', '/api/sources/web/test');
      await startHttpSource(generation, port);
      await hub.rest('POST', '/api/sources/web/test');
      await hub.ready('web');
      await expect
        .poll(
          async () => {
            await client.callTool({ name: 'web__append', arguments: { line: 'two' } });
            return updated.length;
          },
          { timeout: 20_000, interval: 300 },
        )
        .toBeGreaterThan(1);
    },
  );

  it('is asked what the source asks, and the call runs once', { timeout: 30_000 }, async () => {
    const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all' } });
    await hub.ready('one');
    const client = await connect(hub, mode, undefined, (each) =>
      each.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { ok: true } })),
    );
    const answer = await client.callTool({ name: 'one__ask', arguments: {} });
    expect(text(answer)).toBe('run 1: {"action":"accept","content":{"ok":true}}');
  });
});

it(
  'a question that could belong to two callers is refused, not shown to the wrong one',
  { timeout: 30_000 },
  async () => {
    const hub = await openSourcesHub({
      one: { command: faulty('good'), trust: 'all' },
      own: { command: faulty('good'), trust: 'all', isolate: 'caller' },
    });
    await hub.ready('one', 'own');
    const shown: string[] = [];
    const answering = (name: string) => (each: Client) =>
      each.setRequestHandler('elicitation/create', async () => {
        shown.push(name);
        return { action: 'accept', content: {} };
      });
    const ada = await connect(hub, 'legacy', '/mcp?profile=full&scopeAgentId=ada', answering('ada'));
    const bob = await connect(hub, 'legacy', '/mcp?profile=full&scopeAgentId=bob', answering('bob'));
    const busy = bob.callTool({ name: 'one__sleep', arguments: { ms: 2_500 } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(text(await ada.callTool({ name: 'one__ask', arguments: {} }))).toContain('whose call');
    await busy;
    expect(shown).toEqual([]);

    const alone = bob.callTool({ name: 'own__sleep', arguments: { ms: 2_500 } });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(text(await ada.callTool({ name: 'own__ask', arguments: {} }))).toContain('accept');
    await alone;
    expect(shown).toEqual(['ada']);
    const [one, other] = await Promise.all(
      [ada, bob].map(async (each) => text(await each.callTool({ name: 'own__pid', arguments: {} }))),
    );
    expect(one).not.toBe(other);
  },
);

it(
  'config.yaml is followed: entries come, change and go while the hub runs',
  { timeout: 30_000 },
  async () => {
    const hub = await openSourcesHub();
    hub.configure({ one: { command: faulty('good'), trust: 'all' } });
    await hub.ready('one');
    const pid = text(await hub.call('one__pid'));
    hub.configure({
      one: { command: faulty('good'), trust: 'all' },
      two: { command: faulty('good'), trust: 'all' },
    });
    await hub.ready('one', 'two');
    expect(text(await hub.call('one__pid'))).toBe(pid);
    hub.configure({ two: { command: faulty('good'), trust: 'all', enabled: false } });
    await expect
      .poll(async () => (await hub.names()).filter((name) => /^(one|two)__/.test(name)), { timeout: 5_000 })
      .toEqual([]);
    writeFileSync(join(hub.home, 'config.yaml'), 'sources: [oops');
    await new Promise((resolve) => setTimeout(resolve, 1_300));
    expect((await hub.state('two')).state).toBe('stopped');
  },
);

it('completion is forwarded', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({
    everything: { command: npmServer('everything', 'stdio'), trust: 'all' },
  });
  await hub.ready('everything');
  const complete = async (name: string, path?: string) =>
    (
      await hub.ask(
        'completion/complete',
        { ref: { type: 'ref/prompt', name }, argument: { name: 'department', value: 'E' } },
        path,
      )
    ).result.completion.values;
  expect(await complete('completable-prompt', '/mcp/source/everything')).toEqual(['Engineering']);
  expect(await complete('everything__completable-prompt')).toEqual(['Engineering']);
});
