import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeMemory, parseMemory, rewriteMemory } from './frontmatter.ts';

const HEAD = {
  id: 'entity-people-a',
  type: 'entity',
  category: 'people',
  tags: ['x', 'y,z'],
  created: '2026-02-25T10:00:00Z',
  updated: '2026-02-25T10:00:00Z',
  pinned: true,
};

const content = fc
  .array(fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r', '\r\n', ' ', '---')))
  .map((parts) => parts.join(''));

describe('the head of a memory file', () => {
  it('comes back as it was written, whatever the content', () => {
    fc.assert(
      fc.property(content, (body) => {
        const parsed = parseMemory(composeMemory(HEAD, body));
        expect(parsed).toMatchObject({
          ok: true,
          body,
          head: { id: HEAD.id, tags: HEAD.tags, pinned: true, created: Date.UTC(2026, 1, 25, 10) },
        });
      }),
    );
  });

  it('stays byte for byte when the content changes, but for updated', () => {
    const file =
      '---\r\nid: a\r\n# note\r\nupdated:   2020-01-01 # old\r\nextra: {k: [1,  2]}\r\n---\r\n\r\nold\r\n';
    expect(rewriteMemory(file, 'new', '2026-01-01T00:00:00Z')).toBe(
      '---\r\nid: a\r\n# note\r\nupdated:   2026-01-01T00:00:00Z # old\r\nextra: {k: [1,  2]}\r\n---\r\n\r\nnew\r\n',
    );
  });

  it.each([
    ['no frontmatter', 'just text'],
    ['frontmatter without updated', '---\nid: a\n---\ntext'],
    ['an empty updated', '---\nupdated:\nid: a\n---\ntext'],
    ['an empty frontmatter', '---\n---\ntext'],
    ['a comment where updated should be', '---\nupdated: # soon\nid: a\n---\ntext'],
    ['keys in braces', '---\n{id: a, tags: [x]}\n---\ntext'],
    ['updated on a line of its own', '---\nupdated: >-\n  2020-01-01\nid: a\n---\ntext'],
    ['updated as a block', '---\nid: a\nupdated: |\n  2020-01-01\n---\ntext'],
    ['a key of the same name further in', '---\nid: a\nnested:\n  updated: 2020\n---\ntext'],
    ['Windows line breaks', '---\r\nid: a\r\n---\r\ntext\r\n'],
    ['a byte order mark', '\uFEFF---\nid: a\n---\ntext'],
  ])('gets updated also with %s', (_what, file) => {
    const parsed = parseMemory(rewriteMemory(file, 'new', '2026-01-01T00:00:00Z'));
    expect(parsed).toMatchObject({ ok: true, body: 'new', head: { updated: Date.UTC(2026, 0, 1) } });
  });

  it('is read leniently: tags as text or list, dates as people write them', () => {
    expect(parseMemory('---\ntags: A, "#b"\ncreated: 2026-01-05\n---\n')).toMatchObject({
      ok: true,
      head: { created: Date.UTC(2026, 0, 5) },
    });
    expect(parseMemory('---\ntags: [Big, 7, true]\n---\n')).toMatchObject({
      ok: true,
      head: { tags: ['big', '7', 'true'] },
    });
  });

  it.each([
    ['tags with an empty line', 'tags:\n  -\n  - b', { tags: ['b'] }],
    ['tags as one number', 'tags: 2026', { tags: ['2026'] }],
    ['a number as id', 'id: 202601051200', { id: '202601051200' }],
    ['an empty id', 'id:', { id: undefined }],
    ['a year', 'created: 2026', { created: Date.UTC(2026, 0, 1) }],
    ['a date with an offset', 'created: 2026-01-05T02:00:00+02:00', { created: Date.UTC(2026, 0, 5) }],
    ['yes', 'pinned: yes', { pinned: true }],
    ['Off', 'pinned: Off', { pinned: false }],
    ['true in quotes', 'pinned: "true"', { pinned: true }],
    ['text over several lines', 'about: |\n  one\n  two\npinned: true', { pinned: true }],
    ['an anchor', 'a: &x b\ntags: [*x]', { tags: ['b'] }],
    ['sources that are not ours', 'sources: https://example.org', { sources: [] }],
    ['a list of such sources', 'sources: [https://example.org]', { sources: [] }],
    ['a key that is a list', '? [a, b]\n: c', { pinned: false }],
  ])('is read leniently: %s', (_what, yaml, head) => {
    expect(parseMemory(`---\n${yaml}\n---\n`)).toMatchObject({ ok: true, head });
    expect(parseMemory(`\uFEFF---\r\n${yaml.replaceAll('\n', '\r\n')}\r\n---\r\n`)).toMatchObject({
      ok: true,
      head,
    });
  });

  it.each([
    ['---\nid: x', 'never closed'],
    ['---\na: [\n---\n', 'not valid YAML'],
    ['---\npinned: 3\n---\n', 'bad pinned'],
    ['---\ncreated: yesterday\n---\n', 'bad created'],
    ['---\n- a\n---\n', 'bad shape'],
    ['---\ntext\n---\n', 'bad shape'],
    ['---\na: 1\na: 2\n---\n', 'not valid YAML'],
    ['---\ntags: *nowhere\n---\n', 'not valid YAML'],
    [`---\na: &a [x]\nb: [${'*a, '.repeat(50)}]\n---\n`, 'not valid YAML'],
  ])('%j is a problem with a reason', (file, why) => {
    expect(parseMemory(file)).toMatchObject({ ok: false, problem: expect.stringContaining(why) });
  });
});
