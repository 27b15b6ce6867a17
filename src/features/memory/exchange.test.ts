import { describe, expect, it } from 'vitest';
import { readRecords } from './exchange.ts';
import { writeMarkdown } from './markdown.ts';
import type { ExchangeRecord } from './record.ts';

const record: ExchangeRecord = {
  kind: 'fact',
  title: 'Port of the staging server',
  content: 'It is 9090.\n# not a heading\nand --> not the end',
  tags: ['infra', 'session-3'],
  tenantId: 'acme',
  scopeTeamId: 'red',
  scopeAgentId: null,
  source: 'docs/ops.md',
  episode: 'episode 7',
  validFrom: 1_000,
  validTo: 2_000,
};

describe('files in and out', () => {
  it('reads back its own JSONL', () => {
    expect(readRecords(`${JSON.stringify(record)}\n\n`, 'memory.jsonl')).toEqual([record]);
  });

  it('reads back its own Markdown', () => {
    expect(
      readRecords(writeMarkdown(record) + writeMarkdown({ ...record, title: 'Other' }), 'memory.md'),
    ).toEqual([record, { ...record, title: 'Other' }]);
  });

  it('reads the JSONL of the official memory server: a fact per observation, one per relation', () => {
    const text = [
      '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea","lives in Ghent"]}',
      '{"type":"entity","name":"Hub","entityType":"project","observations":[]}',
      '{"type":"relation","from":"Ann","to":"Hub","relationType":"works_on"}',
    ].join('\n');
    expect(
      readRecords(text, 'memory.json').map(({ title, content, tags, episode }) => [
        title,
        content,
        tags,
        episode,
      ]),
    ).toEqual([
      ['Ann', 'likes tea', ['person'], 'entity Ann'],
      ['Ann', 'lives in Ghent', ['person'], 'entity Ann'],
      ['Hub', 'Hub is a project.', ['project'], 'entity Hub'],
      ['Ann', 'Ann works on Hub', ['relation'], 'entity Ann'],
    ]);
  });

  it('reads Markdown notes: a fact per section, named by its headings, tagged by the front matter', () => {
    const text =
      '---\ntitle: Ops\ntags: [infra, "on call"]\n---\nBefore any heading.\n\n# Staging\n\n## Port\n\n9090\n\n```sh\n# a comment\n```\n\n## Empty\n\n# Prod\n443\n';
    expect(
      readRecords(text, 'notes/ops.md').map(({ title, content, tags }) => [title, content, tags]),
    ).toEqual([
      ['Ops', 'Before any heading.', ['infra', 'on call']],
      ['Staging / Port', '9090\n\n```sh\n# a comment\n```', ['infra', 'on call']],
      ['Prod', '443', ['infra', 'on call']],
    ]);
  });

  it('reads past a byte order mark', () => {
    expect(readRecords(`\uFEFF${JSON.stringify(record)}`, 'memory.jsonl')).toEqual([record]);
    expect(readRecords('\uFEFF# Port\n9090', 'notes.md')).toMatchObject([{ title: 'Port', content: '9090' }]);
  });

  it('reads tags that the front matter has as a list', () => {
    const text = '---\ntags:\n  - one\n  - "two words"\ntitle: Ops\n---\nText.\n';
    expect(readRecords(text, 'ops.md')).toMatchObject([{ title: 'Ops', tags: ['one', 'two words'] }]);
    expect(readRecords('---\ntags:\ntitle: Ops\n---\nText.', 'ops.md')).toMatchObject([
      { title: 'Ops', tags: [] },
    ]);
  });

  it('keeps notes of the same name in two folders apart', () => {
    const [one] = readRecords('# A\nb', 'red/notes.md');
    const [other] = readRecords('# A\nb', 'blue/notes.md');
    expect(one!.episode).not.toBe(other!.episode);
  });

  it('leaves the backslashes of notes alone, and the sharp of a heading', () => {
    expect(readRecords('# Learn C#\n\\# literal', 'notes.md')).toMatchObject([
      { title: 'Learn C#', content: '\\# literal' },
    ]);
  });

  const fact = (more: object): string => JSON.stringify({ kind: 'fact', title: 'x', content: 'y', ...more });
  it.each([
    [
      'a heading over a long section',
      'a.md',
      `# One\n1\n\n# Two\n${'x'.repeat(100_001)}`,
      'a.md:4 (# Two) is not a record: content',
    ],
    ['a NUL in notes', 'a.md', '# One\na\0b', 'a.md:1 (# One) is not a record: content must not contain NUL'],
    [
      'a NUL in a line',
      'a.jsonl',
      `${fact({})}\n${fact({ tags: ['\0'] })}`,
      'a.jsonl:2 is not a record: tags.0 must not contain NUL',
    ],
    ['a NUL in a scope', 'a.jsonl', fact({ scopeTeamId: '\0' }), 'a.jsonl:1 is not a record: scopeTeamId'],
    ['a long line', 'a.jsonl', fact({ content: 'x'.repeat(100_001) }), 'a.jsonl:1 is not a record: content'],
    [
      'a long observation',
      'a.json',
      JSON.stringify({
        type: 'entity',
        name: 'Ann',
        entityType: 'person',
        observations: ['x'.repeat(100_001)],
      }),
      'a.json:1 is not a record: content',
    ],
    ['notes that are called JSON', 'a.jsonl', 'Remember the milk.', 'a.jsonl:1 is not JSON'],
    ['JSON over many lines', 'a.json', '[\n{}\n]', 'a.json:1 is not JSON'],
    ['a blank title', 'a.jsonl', fact({ title: ' ' }), 'a.jsonl:1 is not a record: title must not be blank'],
    [
      'an end before the beginning',
      'a.jsonl',
      fact({ validFrom: 2, validTo: 1 }),
      'a.jsonl:1 is not a record: validTo',
    ],
    [
      'the long name of a procedure',
      'a.jsonl',
      fact({ kind: 'procedure', title: 'x'.repeat(201) }),
      'a.jsonl:1 is not a record: title',
    ],
    [
      'a damaged comment',
      'a.md',
      '# One\n1\n\n<!-- holdfast {bad} -->',
      'a.md:4 is a holdfast comment that cannot be read',
    ],
    [
      'a comment without its end',
      'a.md',
      '# One\n1\n\n<!-- holdfast {"kind":"fact"}',
      'a.md:4 is a holdfast comment that cannot be read',
    ],
    [
      'a comment that says nonsense',
      'a.md',
      '# One\n1\n<!-- holdfast {"kind":"cat"} -->',
      'a.md:3 is not a record: kind',
    ],
    [
      'text after a comment',
      'a.md',
      '# One\n1\n<!-- holdfast {"kind":"fact"} -->\nmore',
      'a.md:3 is a holdfast comment that is not the last',
    ],
    [
      'an open fence before records',
      'a.md',
      `# One\n\`\`\`\n\n${writeMarkdown(record)}`,
      'a.md:2 opens a code block that nothing closes',
    ],
  ])('refuses %s and says where', (_what, name, text, message) => {
    expect(() => readRecords(text, name)).toThrow(message);
    expect(() => readRecords(text, name)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it.each([
    ['{"type":"entity"}', 'memory.jsonl:1 is not a record'],
    ['{"kind":"fact","title":"x","content":"y"}\n{nonsense', 'memory.jsonl:2 is not JSON'],
  ])('refuses %j and says which line', (text, message) => {
    expect(() => readRecords(text, 'memory.jsonl')).toThrow(message);
  });
});
