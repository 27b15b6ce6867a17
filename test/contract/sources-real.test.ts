import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { npmServer, openSourcesHub, startHttpSource } from '../fixtures/sources.ts';

/** The servers that people really run, behind a whole hub. */
it("programs from npm: their tools, resources and prompts are the hub's", { timeout: 60_000 }, async () => {
  const folder = freshFolder();
  mkdirSync(join(folder, 'docs'));
  writeFileSync(join(folder, 'docs', 'a.txt'), 'hello from a file');
  const hub = await openSourcesHub({
    everything: { command: npmServer('everything', 'stdio'), trust: 'all' },
    notes: {
      command: npmServer('memory'),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.json') },
      trust: 'all',
    },
    files: { command: npmServer('filesystem', join(folder, 'docs')), trust: 'all' },
  });
  await hub.ready('everything', 'notes', 'files');
  const names = await hub.names();
  expect(names).toEqual(
    expect.arrayContaining(['everything__echo', 'notes__create_entities', 'files__read_text_file']),
  );

  expect((await hub.call('everything__echo', { message: 'hi' })).content[0].text).toContain('hi');
  const read = await hub.call('files__read_text_file', { path: join(folder, 'docs', 'a.txt') });
  expect(read.content[0].text).toContain('hello from a file');
  await hub.call('notes__create_entities', {
    entities: [{ name: 'hub', entityType: 'thing', observations: ['is one door'] }],
  });
  const found = await hub.call('notes__search_nodes', { query: 'door' });
  expect(found.structuredContent.entities[0].name).toBe('hub');

  const { resources } = (await hub.ask('resources/list')).result;
  const resource = resources.find(({ uri }: { uri: string }) => uri.startsWith('everything+'));
  expect((await hub.ask('resources/read', { uri: resource.uri })).result.contents[0].uri).toBe(resource.uri);
  const { prompts } = (await hub.ask('prompts/list')).result;
  expect(prompts.map(({ name }: { name: string }) => name)).toContain('everything__simple-prompt');
  const { messages } = (await hub.ask('prompts/get', { name: 'everything__simple-prompt' })).result;
  expect(messages[0].content.text.length).toBeGreaterThan(5);

  const invalid = await hub.call('files__read_text_file', {});
  expect(invalid).toMatchObject({ isError: true });
  expect(invalid.content[0].text).toContain('path');
});

it.each(['v1', 'v2'] as const)(
  'an HTTP server of SDK %s: values stay values, headers name the method',
  { timeout: 30_000 },
  async (generation) => {
    const source = await startHttpSource(generation);
    const hub = await openSourcesHub({
      web: { url: source.url, headers: { 'X-Tenant': 'acme' }, trust: 'all' },
    });
    await hub.ready('web');
    expect((await hub.state('web')).server).toMatchObject({
      name: `sdk-${generation}`,
      era: generation === 'v1' ? 'legacy' : 'modern',
    });
    expect(await hub.call('web__add', { a: 2, b: 3 })).toMatchObject({
      structuredContent: { sum: 5 },
      content: [{ text: '5' }],
    });
    const seen = JSON.parse((await hub.call('web__headers')).content[0].text) as {
      isAuthorized: boolean;
      method: string;
      name?: string;
    }[];
    // The token that the caller showed to the hub is not among them.
    expect(seen.at(-1)).toEqual({
      isAuthorized: false,
      tenant: 'acme',
      method: 'tools/call',
      name: 'headers',
    });
    expect(seen.filter(({ method }) => method !== 'tools/call').every(({ name }) => name === undefined)).toBe(
      true,
    );
  },
);

it('one source passes through under its own names', { timeout: 30_000 }, async () => {
  const hub = await openSourcesHub({
    everything: { command: npmServer('everything', 'stdio'), trust: 'all' },
  });
  await hub.ready('everything');
  const path = '/mcp/source/everything';
  expect(await hub.names(path)).toContain('echo');
  expect((await hub.call('echo', { message: 'plain' }, path)).content[0].text).toContain('plain');
  const [resource] = (await hub.ask('resources/list', {}, path)).result.resources;
  expect((await hub.ask('resources/read', { uri: resource.uri }, path)).result.contents[0].uri).toBe(
    resource.uri,
  );
  expect((await hub.rpc('/mcp/source/nobody', 'tools/list', {}, { token: hub.token })).status).toBe(404);
  const { audit } = await hub.rest('GET', '/api/tools/audit?limit=20');
  expect(JSON.stringify(audit)).toContain('everything__echo');
});
