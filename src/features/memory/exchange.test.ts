import { describe, expect, it } from 'vitest';
import { readRecords } from './exchange.ts';
import { writeMarkdown } from './markdown.ts';
import type { ExchangeRecord } from './record.ts';

const record: ExchangeRecord = {
  kind: 'fact',
  title: 'Port of the staging server',
  content: 'It is 9090.\n# not a heading\nand --> not the end',
  tags: ['infra', 'session-3'],
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
    expect(readRecords(writeMarkdown(record) + writeMarkdown({ ...record, title: 'Other' }), 'memory.md')).toEqual([
      record,
      { ...record, title: 'Other' },
    ]);
  });

  it('reads the JSONL of the official memory server: a fact per observation, one per relation', () => {
    const text = [
      '{"type":"entity","name":"Ann","entityType":"person","observations":["likes tea","lives in Ghent"]}',
      '{"type":"entity","name":"Hub","entityType":"project","observations":[]}',
      '{"type":"relation","from":"Ann","to":"Hub","relationType":"works_on"}',
    ].join('\n');
    expect(readRecords(text, 'memory.json').map(({ title, content, tags, episode }) => [title, content, tags, episode])).toEqual([
      ['Ann', 'likes tea', ['person'], 'entity Ann'],
      ['Ann', 'lives in Ghent', ['person'], 'entity Ann'],
      ['Hub', 'Hub is a project.', ['project'], 'entity Hub'],
      ['Ann', 'Ann works on Hub', ['relation'], 'entity Ann'],
    ]);
  });

  it('reads Markdown notes: a fact per section, named by its headings, tagged by the front matter', () => {
    const text =
      '---\ntitle: Ops\ntags: [infra, "on call"]\n---\nBefore any heading.\n\n# Staging\n\n## Port\n\n9090\n\n```sh\n# a comment\n```\n\n## Empty\n\n# Prod\n443\n';
    expect(readRecords(text, 'notes/ops.md').map(({ title, content, tags }) => [title, content, tags])).toEqual([
      ['Ops', 'Before any heading.', ['infra', 'on call']],
      ['Staging / Port', '9090\n\n```sh\n# a comment\n```', ['infra', 'on call']],
      ['Prod', '443', ['infra', 'on call']],
    ]);
  });

  it.each([
    ['{"type":"entity"}', 'memory.jsonl:1 is not a record'],
    ['{"kind":"fact","title":"x","content":"y"}\n{nonsense', 'memory.jsonl:2 is not JSON'],
  ])('refuses %j and says which line', (text, message) => {
    expect(() => readRecords(text, 'memory.jsonl')).toThrow(message);
  });
});
