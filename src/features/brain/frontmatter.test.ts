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

/** Leading blank lines and the very last line break belong to the file. */
const content = fc
  .string({ unit: 'grapheme', maxLength: 200 })
  .map((text) => `x${text}`)
  .filter((text) => !text.endsWith('\n') && !text.endsWith('\r'));

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
    const file = '---\r\nid: a\r\n# note\r\nupdated:   2020-01-01 # old\r\nextra: {k: [1,  2]}\r\n---\r\n\r\nold';
    expect(rewriteMemory(file, 'new', '2026-01-01T00:00:00Z')).toBe(
      '---\r\nid: a\r\n# note\r\nupdated:   2026-01-01T00:00:00Z # old\r\nextra: {k: [1,  2]}\r\n---\r\n\nnew\n',
    );
  });

  it.each([
    ['no frontmatter', 'just text'],
    ['frontmatter without updated', '---\nid: a\n---\ntext'],
    ['an empty updated', '---\nupdated:\nid: a\n---\ntext'],
    ['an empty frontmatter', '---\n---\ntext'],
  ])('gets updated also with %s', (_what, file) => {
    const parsed = parseMemory(rewriteMemory(file, 'new', '2026-01-01T00:00:00Z'));
    expect(parsed).toMatchObject({ ok: true, body: 'new', head: { updated: Date.UTC(2026, 0, 1) } });
  });

  it('is read leniently: tags as text or list, dates as people write them', () => {
    expect(parseMemory('---\ntags: A, "#b"\ncreated: 2026-01-05\n---\n')).toMatchObject({
      ok: true,
      head: { created: Date.UTC(2026, 0, 5) },
    });
    expect(parseMemory('---\ntags: [Big, 7]\n---\n')).toMatchObject({ ok: true, head: { tags: ['big', '7'] } });
  });

  it.each([
    ['---\nid: x', 'never closed'],
    ['---\na: [\n---\n', 'not valid YAML'],
    ['---\npinned: 3\n---\n', 'bad pinned'],
    ['---\ncreated: yesterday\n---\n', 'bad created'],
    ['---\n- a\n---\n', 'bad shape'],
  ])('%j is a problem with a reason', (file, why) => {
    expect(parseMemory(file)).toMatchObject({ ok: false, problem: expect.stringContaining(why) });
  });
});
