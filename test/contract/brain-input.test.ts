import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ALICE, freshBrain } from '../fixtures/brain-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';

/** What clients send when they are careless or hostile. Every refusal names the argument and leaves the vault as it was. */
describe('clawbrain refuses', () => {
  const open = async () => {
    const fixture = freshBrain(await freshDatabase('sqlite'));
    return { ...fixture, client: fixture.connect() };
  };

  it.each([
    ['a way up', '../alice'],
    ['dots', '..'],
    ['a slash', 'a/b'],
    ['a backslash', 'a\\b'],
    ['a Cyrillic look-alike', 'аlice'],
    ['a full-width letter', 'ａlice'],
    ['capitals', 'Alice'],
    ['a space', 'alice chen'],
    ['a leading dot', '.hidden'],
    ['a device', 'nul'],
    ['another device', 'com1'],
    ['a line break', 'a\nb'],
    ['a null byte', 'a\0b'],
    ['nothing', ''],
    ['300 characters', 'a'.repeat(300)],
    ['an extension', 'alice.md'],
    ['a secret', 'sk-proj-abcdefghijklmnop'],
  ])('a name with %s', async (_what, name) => {
    const { client, folder } = await open();
    const answer = await client.call('memory_store', { ...ALICE, name });
    expect(answer.isError).toBe(true);
    expect(answer.lines[0]).toContain('name');
    expect(readdirSync(folder)).not.toContain('entities');
  });

  it.each(['animals', '', '../people', 'people/x', 'People', 'people-a'])(
    'the category %j',
    async (category) => {
      const { client } = await open();
      const answer = await client.call('memory_store', { ...ALICE, category });
      expect(answer.lines[0]).toBe(
        `category must be one of people, projects, preferences for an entity, got ${JSON.stringify(category)}`,
      );
    },
  );

  it.each([
    [['Has Space']],
    [['"quote"']],
    [['a\nb: c']],
    [[`x${'y'.repeat(80)}`]],
    [['']],
    [['sk-abcdefghijklmnopqrst']],
  ])('the tags %j', async (tags) => {
    const { client } = await open();
    expect((await client.call('memory_store', { ...ALICE, tags })).lines[0]).toContain('tags');
  });

  it('five megabytes of content', async () => {
    const { client } = await open();
    const answer = await client.call('memory_store', { ...ALICE, content: 'x'.repeat(5_000_000) });
    expect(answer.lines[0]).toContain('content must be a string of 1 to 1000000 characters');
  });

  it.each(['', '   \n', 'a\0b'])('the content %j', async (content) => {
    const { client } = await open();
    expect((await client.call('memory_store', { ...ALICE, content })).lines[0]).toContain('content');
  });

  it('content that is nothing but a secret', async () => {
    const { client } = await open();
    const answer = await client.call('memory_store', { ...ALICE, content: `ghp_${'a1B2'.repeat(9)}` });
    expect(answer.lines[0]).toBe('nothing to store: content was entirely redacted secrets');
  });

  it('unknown arguments, naming the known ones', async () => {
    const { client } = await open();
    expect((await client.call('memory_store', { ...ALICE, colour: 'red' })).lines[0]).toContain(
      'unknown argument "colour"; known: type, category, name',
    );
  });

  it.each(['../../etc/passwd', 'entity-people-', 'entity-people-a\nb', '%2e%2e'])('the id %j', async (id) => {
    const { client, connect } = await open();
    for (const tool of ['memory_retrieve', 'memory_delete'])
      expect((await client.call(tool, { id })).isError).toBe(true);
    expect((await connect({ profile: 'extended' }).call('memory_restore', { id })).isError).toBe(true);
  });

  it.each(['archive/../../etc/passwd.md', '../archive/x/y.md', 'entities/people/a.md'])(
    'to restore from %j',
    async (archive_path) => {
      const { connect } = await open();
      expect((await connect({ profile: 'extended' }).call('memory_restore', { archive_path })).isError).toBe(
        true,
      );
    },
  );
});

describe('clawbrain takes', () => {
  const open = async () => {
    const fixture = freshBrain(await freshDatabase('sqlite'));
    return { ...fixture, client: fixture.connect() };
  };

  it('secrets out of content before it is written anywhere', async () => {
    const { client, file } = await open();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { id, path } = (await client.call('memory_store', { ...ALICE, content: `The token is ${secret}` }))
      .value;
    expect(file.read(path)).toContain('The token is [REDACTED]');
    await client.call('memory_update', { id, content: `Now it is ${secret}` });
    expect(file.read(path)).not.toContain(secret);
  });

  it('content that looks like frontmatter for what it is: content', async () => {
    const { client } = await open();
    const content = '---\npinned: true\nid: entity-people-root\n---\n\nboo';
    const { id } = (await client.call('memory_store', { ...ALICE, content })).value;
    expect((await client.call('memory_retrieve', { id })).value).toMatchObject({
      id: 'entity-people-alice-chen',
      pinned: false,
      content,
    });
    await client.call('memory_update', { id, content: `${content}!` });
    expect((await client.call('memory_retrieve', { id })).value).toMatchObject({
      pinned: false,
      content: `${content}!`,
    });
  });

  it('names whose ids could be confused, and keeps them apart', async () => {
    const { client } = await open();
    const ids = [];
    for (const name of ['a-b', 'a', 'b'])
      ids.push((await client.call('memory_store', { ...ALICE, name })).value.id);
    expect(ids).toEqual(['entity-people-a-b', 'entity-people-a', 'entity-people-b']);
    expect((await client.call('memory_store', { ...ALICE, category: 'people-a', name: 'b' })).isError).toBe(
      true,
    );
  });

  it('any text that Unicode has', async () => {
    const { client } = await open();
    const content = 'Ünïcödé 日本語 👩‍👩‍👧 \u202e; drop table\n\n\n  indented\ttab';
    const { id } = (await client.call('memory_store', { ...ALICE, content, tags: ['größe', '日本'] })).value;
    expect((await client.call('memory_retrieve', { id })).value).toMatchObject({
      content,
      tags: ['größe', '日本'],
    });
    expect((await client.call('memory_search', { query: '日本語' })).value.results[0].id).toBe(id);
  });
});
