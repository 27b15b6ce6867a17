import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { decideNext, faulty, npmServer, openSourcesHub } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;
const tool = (name: string, description = `The tool ${name}.`) => ({
  name,
  description,
  inputSchema: { type: 'object', properties: {} },
});

it('ask: the first use of each tool asks a person, the next one does not', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({ one: { command: faulty('good') } });
  await hub.ready('one');
  const first = hub.call('one__ok');
  const approval = await decideNext(hub, 'allow_once');
  expect(approval.reason).toContain('for the first time');
  expect(text(await first)).toBe('ok done');
  expect(text(await hub.call('one__ok'))).toBe('ok done');
  const other = hub.call('one__count');
  await decideNext(hub, 'deny');
  expect(text(await other)).toBe('approval deny');
  const { audit } = await hub.rest('GET', '/api/tools/audit?limit=50');
  expect(JSON.stringify(audit)).toContain('one__ok');
});

it(
  'ask: the first resource and the first prompt of a source ask a person, the next ones do not, another command does again',
  { timeout: 60_000 },
  async () => {
    const hub = await openSourcesHub({ every: { command: npmServer('everything') } });
    await hub.ready('every');
    const uri = (i: number) => `every+demo://resource/dynamic/text/${i}`;
    const read = (i: number) => hub.ask('resources/read', { uri: uri(i) });
    const denied = read(1);
    expect((await decideNext(hub, 'deny')).reason).toContain('is read for the first time');
    expect((await denied).error.message).toContain('approval deny');
    const first = read(1);
    expect(await decideNext(hub, 'allow_once')).toMatchObject({ toolName: 'every__resources.read' });
    expect((await first).result.contents[0].uri).toBe(uri(1));
    expect((await read(2)).result.contents[0].uri).toBe(uri(2));

    const get = () => hub.ask('prompts/get', { name: 'every__simple-prompt' });
    const prompt = get();
    expect(await decideNext(hub, 'allow_once')).toMatchObject({ toolName: 'every__prompts.get' });
    expect((await prompt).result.messages).toHaveLength(1);
    expect((await get()).result.messages).toHaveLength(1);

    hub.configure({ every: { command: [...npmServer('everything'), 'stdio'] } });
    await hub.rest('POST', '/api/sources/every/test');
    await hub.ready('every');
    const again = read(3);
    await decideNext(hub, 'allow_once');
    expect((await again).result.contents[0].uri).toBe(uri(3));
  },
);

it('all: nobody is asked for resources and prompts', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({ every: { command: npmServer('everything'), trust: 'all' } });
  await hub.ready('every');
  expect((await hub.ask('prompts/get', { name: 'every__simple-prompt' })).result.messages).toHaveLength(1);
});

it(
  'pinned: what is new or has changed is quarantined until a person approves the difference',
  { timeout: 30_000 },
  async () => {
    const file = join(freshFolder(), 'tools.json');
    writeFileSync(file, JSON.stringify([tool('a'), tool('b')]));
    const hub = await openSourcesHub({ one: { command: faulty('changing', file), trust: 'pinned' } });
    await hub.ready('one');
    expect(text(await hub.call('one__a'))).toBe('a done');
    writeFileSync(file, JSON.stringify([tool('a', 'Another text.'), tool('b'), tool('c')]));
    await expect.poll(async () => (await hub.state('one')).quarantined).toBe(2);
    expect((await hub.names()).filter((name) => name.startsWith('one__'))).toEqual(['one__b']);
    const refused = await hub.call('one__a');
    expect(refused).toMatchObject({ isError: true });
    expect(text(refused)).toContain('quarantined');

    const { pending } = await hub.rest('GET', '/api/sources/one/review');
    expect(pending).toMatchObject([
      {
        tool: 'a',
        isNew: false,
        before: expect.stringContaining('The tool a.'),
        after: expect.stringContaining('Another text.'),
      },
      { tool: 'c', isNew: true, before: null },
    ]);
    expect(
      (
        await hub.fetch('/api/sources/one/approve', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{}',
        })
      ).status,
    ).toBe(401);
    expect(await hub.rest('POST', '/api/sources/one/approve', { tools: ['a'] })).toMatchObject({
      approved: ['a'],
    });
    expect(text(await hub.call('one__a'))).toBe('a done');
    await hub.rest('POST', '/api/sources/one/approve', {});
    expect((await hub.names()).filter((name) => name.startsWith('one__'))).toEqual([
      'one__a',
      'one__b',
      'one__c',
    ]);
  },
);

it(
  'a definition that was approved and changes back is trusted again; a whole new list is a quarantined source',
  { timeout: 30_000 },
  async () => {
    const file = join(freshFolder(), 'tools.json');
    writeFileSync(file, JSON.stringify([tool('a')]));
    const hub = await openSourcesHub({ one: { command: faulty('changing', file), trust: 'pinned' } });
    await hub.ready('one');
    writeFileSync(file, JSON.stringify([tool('a', 'Evil.')]));
    await expect.poll(async () => (await hub.state('one')).state).toBe('quarantined');
    writeFileSync(file, JSON.stringify([tool('a')]));
    await expect.poll(async () => (await hub.state('one')).state).toBe('ready');
  },
);

it(
  'hidden text and orders in descriptions are found, shown, and not passed on',
  { timeout: 30_000 },
  async () => {
    const hub = await openSourcesHub({ one: { command: faulty('hidden'), trust: 'all' } });
    await hub.ready('one');
    const { source } = await hub.rest('GET', '/api/sources/one');
    const kinds = source.toolList[0].findings.map(
      ({ kind, what }: { kind: string; what: string }) => `${kind}: ${what}`,
    );
    expect(kinds).toEqual(
      expect.arrayContaining([
        'hidden: characters without width',
        'hidden: characters that turn the direction of text',
      ]),
    );
    expect(kinds.join()).toMatch(/keys or credential files.*|hide something/);
    const listed = (await hub.ask('tools/list')).result.tools.find(
      ({ name }: { name: string }) => name === 'one__sly',
    );
    expect(listed.description).not.toMatch(/[\u200b\u202e]/);
    expect(listed.inputSchema.properties.a).toMatchObject({ description: 'A number.', default: '\u200b' });
    expect(source.otherFindings).toContainEqual(
      expect.objectContaining({ kind: 'instruction', where: 'instructions' }),
    );
  },
);

it('policy sees the source: a rule may refuse it altogether', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({ one: { command: faulty('good'), trust: 'all' } });
  await hub.ready('one');
  writeFileSync(
    join(hub.home, 'policy.yaml'),
    'version: 1\nrules:\n  - { name: no-one, source: one, tool: "*__ok", decide: deny, because: not today }\n',
  );
  await expect.poll(async () => text(await hub.call('one__ok'))).toBe('denied: policy:no-one');
  expect(text(await hub.call('one__count'))).toBe('1');
});

it('adding a source needs the hub token: loopback alone is not enough', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub();
  const body = JSON.stringify({ command: faulty('good') });
  const response = await hub.fetch('/api/sources/evil', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect(response.status).toBe(401);
  expect(await hub.rest('PUT', '/api/sources/tasks', { command: ['x'] })).toMatchObject({
    code: 'invalid',
    error: expect.stringContaining('built-in'),
  });
});
