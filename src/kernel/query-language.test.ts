import { describe, expect, it } from 'vitest';
import { dayMeant, LIST_FLAGS, spanMeant } from './query-fields.ts';
import { isEmptyQuery, parseQuery } from './query-language.ts';

const NONE = { words: [], phrases: [], without: [], terms: [], problems: [] };
const term = (field: string, op: string, value: string, not = false) => ({ field, op, value, not });

describe('the query language', () => {
  it('reads words, phrases and what must not be there', () => {
    expect(parseQuery('keel "dry dock" -rust -"old paint"')).toEqual({
      ...NONE,
      words: ['keel'],
      phrases: ['dry dock'],
      without: ['rust', 'old paint'],
    });
    expect(parseQuery('  ')).toEqual(NONE);
    expect(isEmptyQuery(parseQuery('""'))).toBe(true);
  });

  it('reads fields with a colon and with an equals sign alike', () => {
    const wanted = { ...NONE, terms: [term('label', '=', 'x'), term('status', '=', 'todo')] };
    expect(parseQuery('label:x status=todo')).toEqual(wanted);
    expect(parseQuery('LABEL=x Status:todo')).toEqual(wanted);
    expect(parseQuery('label:area:web').terms).toEqual([term('label', '=', 'area:web')]);
  });

  it('reads comparisons, also behind a colon', () => {
    expect(parseQuery('priority>=3 due<7d priority:>1 created<=2026-01-01').terms).toEqual([
      term('priority', '>=', '3'),
      term('due', '<', '7d'),
      term('priority', '>', '1'),
      term('created', '<=', '2026-01-01'),
    ]);
  });

  it('reads quoted values and negated terms', () => {
    expect(
      parseQuery('title:"dry dock" -label:x agent!=codex -has:comment -title="a \\"b\\""').terms,
    ).toEqual([
      term('title', '=', 'dry dock'),
      term('label', '=', 'x', true),
      term('agent', '=', 'codex', true),
      term('has', '=', 'comment', true),
      term('title', '=', 'a "b"', true),
    ]);
  });

  it('knows second names, and what earlier versions took', () => {
    expect(parseQuery('team:web search=keel dueBefore=2026-12-31')).toEqual({
      ...NONE,
      words: ['keel'],
      terms: [term('project', '=', 'web'), term('due', '<', '2026-12-31')],
    });
  });

  it('takes bare words for flags only where a list is narrowed', () => {
    expect(parseQuery('ready -held', { flags: LIST_FLAGS }).terms).toEqual([
      term('is', '=', 'ready'),
      term('is', '=', 'held', true),
    ]);
    expect(parseQuery('ready').words).toEqual(['ready']);
    expect(parseQuery('"ready"', { flags: LIST_FLAGS })).toEqual({ ...NONE, words: ['ready'] });
  });

  it('leaves free text alone', () => {
    for (const text of [
      'https://example.org/a?b=c&d=e#f',
      'foo:',
      'std::vector',
      'a.ts:12',
      'src/board/a.ts:12:3',
      '12:30',
      'C:\\dir',
      '--flag',
      '--flag=x',
      '-',
      '->',
      '=>',
      '<div>',
      'a==b',
      'x=>y',
      "it's",
      ':',
      '=',
      'me@host:~/x',
      ':)',
    ])
      expect(parseQuery(text), text).toEqual({ ...NONE, words: [text] });
    expect(parseQuery('foo: bar')).toEqual({ ...NONE, words: ['foo:', 'bar'] });
    expect(parseQuery('priority: high')).toEqual({ ...NONE, words: ['priority:', 'high'] });
    expect(parseQuery('say "dry dock')).toEqual({ ...NONE, words: ['say'], phrases: ['dry dock'] });
  });

  it('tells an unknown field with the one that was meant, and reads it as text', () => {
    expect(parseQuery('stauts:todo').problems).toEqual([
      {
        term: 'stauts:todo',
        says: 'There is no field "stauts".',
        meant: 'status:todo',
        isText: true,
      },
    ]);
    expect(parseQuery('localhost:8080')).toEqual({
      ...NONE,
      words: ['localhost:8080'],
      problems: [{ term: 'localhost:8080', says: 'There is no field "localhost".', isText: true }],
    });
  });

  it('tells a value that cannot be one', () => {
    const says = (text: string) => parseQuery(text).problems.map(({ says: why, meant }) => [why, meant]);
    expect(says('status:tood')[0]).toEqual([
      expect.stringContaining('status knows backlog, todo'),
      'status:todo',
    ]);
    expect(says('has:comments')[0]![1]).toBe('has:comment');
    expect(says('priority>=high')[0]![0]).toBe('priority is a number; got "high".');
    expect(says('due<soon')[0]![0]).toContain('a day such as 2026-12-31');
    expect(says('due<2026-02-30')[0]![0]).toContain('a day such as 2026-12-31');
    expect(says('label>3')[0]![0]).toBe('label cannot be compared; say label:3.');
    expect(says('status:todo,blocked status:in_* due:none due:today priority:-3')).toEqual([]);
  });

  it('never throws, whatever is typed', () => {
    const letters = [
      'a',
      'label',
      ':',
      '=',
      '"',
      '-',
      '\\',
      ' ',
      '<',
      '>',
      '!',
      '7d',
      ',',
      '*',
      'é',
      '\n',
      '😀',
      '\0',
    ];
    let seed = 7;
    const next = () => (seed = (seed * 48_271) % 2_147_483_647);
    for (let i = 0; i < 5_000; i += 1) {
      const text = Array.from({ length: next() % 12 }, () => letters[next() % letters.length]).join('');
      expect(() => parseQuery(text, { flags: LIST_FLAGS })).not.toThrow();
    }
  });

  it('is quick with long lines', () => {
    const began = performance.now();
    parseQuery('a'.repeat(100_000));
    parseQuery('-"\\'.repeat(30_000));
    parseQuery('label:'.repeat(20_000));
    parseQuery('a-'.repeat(50_000) + '"');
    expect(performance.now() - began).toBeLessThan(1_000);
  });
});

describe('times of a query', () => {
  const now = new Date('2026-11-17T10:00:00').getTime();

  it('counts ahead for a day that is due', () => {
    expect(dayMeant('7d', now)).toBe('2026-11-24');
    expect(dayMeant('-1d', now)).toBe('2026-11-16');
    expect(dayMeant('tomorrow', now)).toBe('2026-11-18');
    expect(dayMeant('2026-12-31', now)).toBe('2026-12-31');
  });

  it('counts back for what has happened', () => {
    expect(spanMeant({ op: '<', value: '7d' }, now)).toEqual({ from: now - 7 * 86_400_000 });
    expect(spanMeant({ op: '>', value: '2h' }, now)).toEqual({ until: now - 7_200_000 });
    const day = new Date('2026-11-16T00:00:00').getTime();
    expect(spanMeant({ op: '=', value: 'yesterday' }, now)).toEqual({
      from: day,
      until: new Date('2026-11-17T00:00:00').getTime(),
    });
    expect(spanMeant({ op: '<', value: '2026-11-16' }, now)).toEqual({ until: day });
  });
});
