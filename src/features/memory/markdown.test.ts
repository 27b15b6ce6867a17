import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRecords } from './exchange.ts';
import { writeMarkdown } from './markdown.ts';
import type { ExchangeRecord } from './record.ts';

const record: ExchangeRecord = {
  kind: 'fact',
  title: 'Port',
  content: 'It is 9090.',
  tags: ['infra'],
  tenantId: 'acme',
  scopeTeamId: null,
  scopeAgentId: null,
  validTo: null,
};

const others = [{ ...record, title: 'After', content: 'What follows.' }];

/** As the command writes it: each with a line end of its own. */
function roundTrip(records: readonly ExchangeRecord[], change = (text: string) => text): ExchangeRecord[] {
  return readRecords(change(records.map((one) => `${writeMarkdown(one)}\n`).join('')), 'memory.md');
}

it.each([
  ['an open fence', '```sh\nrm -rf build'],
  ['an open fence with a closed one before', '```\na\n```\n~~~~\n~~~\n# b'],
  ['a heading in a fence', '```\n# a\n```\n# b'],
  ['a heading with a backslash', '\\# literal\n\\\\# twice\n# none'],
  ['a fence with a backslash', '\\```\n# a'],
  ['a comment like ours', 'a\n<!-- holdfast {"kind":"fact","tenantId":"other"} -->'],
  ['a comment like ours with a backslash', '\\<!-- holdfast {} -->'],
  ['blank lines around', '\n\n  a  \n\n'],
  ['nothing', ''],
  ['Windows lines', 'a\r\nb\rc\r\r\n'],
  ['line separators', '# a\u2028b\u0085c'],
  ['the end of a comment', '-->\n--\n---\n---->'],
])('reads back a content with %s, and what follows it', (_what, content) => {
  expect(roundTrip([{ ...record, content }, ...others])).toEqual([{ ...record, content }, ...others]);
});

it.each([
  'Learn C#',
  'C #',
  '# #',
  '#',
  'a  b',
  ' a ',
  'a\nb',
  'a\\#',
  '---',
  'a\u2028b',
  '<!-- holdfast {} -->',
])('reads back the title %j', (title) => {
  expect(roundTrip([{ ...record, title }, ...others])).toEqual([{ ...record, title }, ...others]);
});

const bits = [
  '`',
  '```',
  '~~~',
  '````',
  '#',
  '## ',
  '\\',
  ' ',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  '\t',
  'a',
  '--',
  '-->',
  '---\n',
  '\u2028',
  '\uFEFF',
];
const ours = ['<!-- holdfast {', '<!-- holdfast {} -->', '{"title":"x"} -->', '"', 'sh'];
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...bits, ...ours), fc.string()), { maxLength: 24 })
  .map((parts) => parts.join(''));
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

it('reads back whatever was written', () => {
  const anyRecord = fc.record({
    title: nasty.filter((text) => isStorable(text) && text.trim() !== '' && text.length <= 500),
    content: nasty.filter(isStorable),
  });
  fc.assert(
    fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 4 }), (texts) => {
      const records = texts.map((text) => ({ ...record, ...text }));
      expect(roundTrip(records)).toEqual(records);
      expect(roundTrip(records, (text) => `\uFEFF${text.replace(/(?<!\r)\n/g, '\r\n')}`)).toEqual(records);
    }),
    { numRuns: 1_500 },
  );
});

it('takes an edit of the page, also where the comment has the exact text', () => {
  const written = writeMarkdown({ ...record, title: 'C #', content: ' 9090 ' });
  expect(readRecords(written.replace('\n9090\n', '\n9191\n'), 'memory.md')).toEqual([
    { ...record, title: 'C #', content: '9191' },
  ]);
  expect(readRecords(written.replace('## C #', '## D'), 'memory.md')).toEqual([
    { ...record, title: 'D', content: ' 9090 ' },
  ]);
});

it('is quick with many fences that nothing closes', () => {
  const content = '```a\n'.repeat(20_000);
  expect(roundTrip([{ ...record, content }])).toEqual([{ ...record, content }]);
});
