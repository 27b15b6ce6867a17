import { describe, expect, it } from 'vitest';
import { analyse, indexTerms } from './analyse.ts';
import { analyseQuestion } from './question.ts';

describe('an item', () => {
  it.each([
    ['Odile, 8 May 2023', 'I went swimming'],
    ['Odile, 1:56 pm on 8 May, 2023', 'I went swimming'],
    ['8 May 2023: Odile', 'I went swimming'],
    ['Odile (2023-05-08)', 'I went swimming'],
    ['Odile - session 3 - 8 May 2023', 'I went swimming'],
    ['Odile, 2023-05-08T13:56:00Z', 'I went swimming'],
    ['turn 7', '[8 May 2023] Odile: I went swimming'],
  ])('titled %j, saying %j, has a speaker and a date', (title, content) => {
    const analysis = analyse({ title, content });
    expect(analysis).toMatchObject({ speakers: ['odile'], date: { year: 2023, month: 5, day: 8 } });
    expect(analysis.terms).toEqual(expect.arrayContaining(['go', 'swim']));
    expect(indexTerms(analysis)).toEqual(expect.arrayContaining(['@odile', '~2023', '~m5', '~2023-5']));
  });

  it.each([
    ['user, 8 May 2023', 'where is it computed'],
    ['assistant (turn 5), 2023-05-08', 'in expiry.ts'],
    ['session 3, turn 5: assistant', 'in expiry.ts'],
    ['User 12', 'where is it computed'],
    ['turn 7', 'user: where is it computed'],
    ['turn 7', '[2023/05/08 (Mon) 02:21] assistant: in expiry.ts'],
    ['turn 7', '**Assistant:** in expiry.ts'],
    ['turn 7', '**AI**: in expiry.ts'],
    ['turn 7', '[user] Gateway: is it computed there?'],
    ['turn 7', '<human> where is it computed'],
    ['turn 7', '### User\nwhere is it computed'],
  ])('titled %j, saying %j, is a turn of nobody by name', (title, content) => {
    expect(analyse({ title, content })).toMatchObject({ isSpoken: true, speakers: [] });
  });

  it.each([
    'Odile (9:12): I swam',
    '9:12 Odile: I swam',
    '[9:12] Odile: I swam',
    'Odile [2023-05-08]: I swam',
  ])('says %j with a time beside the name', (content) =>
    expect(analyse({ title: '', content })).toMatchObject({ speakers: ['odile'] }),
  );

  it('is talk under the title of who typed only where it is of a conversation', () => {
    const isTalk = (title: string, tags: string[]): boolean =>
      analyse({ title, content: 'Prefers tabs', tags }).isSpoken;
    expect([isTalk('User', ['session_4']), isTalk('User', ['taste']), isTalk('User', [])]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it.each([
    'TypeError: x is not a function',
    '2023-05-08 09:12:01 Error: no such table',
    'Fix: set the zone',
    'Deploy (staging): uses the blue cluster',
    '**Cause:** the zone of the server',
    '<Suspense> shows it later',
    '### Setup\nrun it',
  ])('beginning %j is a note', (content) =>
    expect(analyse({ title: '', content })).toMatchObject({ isSpoken: false, speakers: [] }),
  );

  it('with an ordinary title is searched by its title', () => {
    expect(analyse({ title: 'Deploy target', content: 'Use the blue cluster' })).toMatchObject({
      speakers: [],
      terms: ['deploi', 'target', 'us', 'blue', 'cluster'],
    });
    expect(analyse({ title: 'Deploy, 3 May 2024', content: 'went well' }).terms).toContain('deploi');
    expect(analyse({ title: 'Release notes of 3 May 2024', content: 'x' }).speakers).toEqual([]);
    expect(analyse({ title: 'Note', content: 'Warning: hot' }).speakers).toEqual([]);
  });

  it('is found by its topics but not by the label of its session', () => {
    expect(analyse({ title: '', content: '', tags: ['infra', 'session_12'] }).terms).toEqual(['infra']);
  });

  it('knows whether it asks, tells a time, or has a number', () => {
    expect(analyse({ title: '', content: 'Where were you last week?' })).toMatchObject({
      isQuestion: true,
      isTemporal: true,
      hasNumber: false,
    });
    expect(analyse({ title: '', content: 'I have three cats' })).toMatchObject({
      isQuestion: false,
      isTemporal: false,
      hasNumber: true,
    });
    expect(analyse({ title: '', content: '先週は忙しかったですか？' })).toMatchObject({
      isQuestion: true,
      isTemporal: true,
    });
  });

  it.each([
    'I moved yesterday',
    'We met two years ago',
    'It was last week',
    'They married in 2019',
    'Am letzten Wochenende? Nein, gestern.',
    '昨日',
  ])('says when: %s', (content) =>
    expect(analyse({ title: '', content })).toMatchObject({ tellsWhen: true }),
  );
  it.each(['What a day!', 'The night is dark', 'A week is long', 'I have three cats'])(
    'does not say when: %s',
    (content) => expect(analyse({ title: '', content })).toMatchObject({ tellsWhen: false }),
  );

  it('keeps what somebody asks apart from what they tell', () => {
    const asked = (content: string): string[] => {
      const { terms, asked: count } = analyse({ title: '', content: `Ann: ${content}` });
      return terms.slice(terms.length - count);
    };
    expect(asked('I sold the boat. Did your turtle hatch? Mine has.')).toEqual(['turtl', 'hatch']);
    expect(asked('Wow！ 亀は元気？')).not.toContain('wow');
    expect(asked('犬がいます。元気？')).not.toContain('犬');
    expect(asked('I sold the boat.')).toEqual([]);
    expect(analyse({ title: '', content: 'I sold the boat. Did your turtle hatch?' }).terms).toEqual([
      'sell',
      'boat',
      'turtl',
      'hatch',
    ]);
  });

  it('is read in time that grows with its length, whatever the marks', () => {
    for (const content of [
      '漢字'.repeat(200_000),
      `${'a\u0301\u0323'.repeat(50)}${'\u0301\u0323'.repeat(100_000)}`,
      'ab '.repeat(300_000) + '?',
      'ab? '.repeat(200_000),
      '?'.repeat(500_000),
    ]) {
      expect(analyse({ title: '', content }).isQuestion).toBe(content.trimEnd().endsWith('?'));
    }
  });
});

describe('a question', () => {
  const plain = (text: string): string[] =>
    analyseQuestion(text)
      .terms.filter(({ inTalk }) => inTalk === 1)
      .map(({ term }) => term);

  it('counts its filler in notes and not in talk', () => {
    expect(plain('What kind of counseling is it?')).toEqual(['counsel']);
    expect(analyseQuestion('What kind of port is it?').terms.map(({ term }) => term)).toEqual([
      'kind',
      'port',
    ]);
    expect(plain('who is it')).toEqual([]);
  });

  it('names who may be meant, by capitals where there are any', () => {
    const names = (text: string): string[] => analyseQuestion(text).names.map(({ name }) => name);
    expect(names("When did Marit visit Odile's house?")).toEqual(expect.arrayContaining(['marit', 'odile']));
    expect(names("When did Marit visit Odile's house?")).not.toContain('house');
    expect(names('when did marit paint')).toContain('marit');
    expect(names('田中さんは何を買いましたか')).toContain('田中');
  });

  it('knows what it asks for', () => {
    expect(analyseQuestion('When did it start?')).toMatchObject({ asksWhen: true, asksNumber: false });
    expect(analyseQuestion('When backing up a volume, is it safe to write?')).toMatchObject({
      asksWhen: false,
    });
    expect(analyseQuestion('Since when are they married?')).toMatchObject({ asksWhen: true });
    expect(analyseQuestion('Which week was the storm?')).toMatchObject({ asksWhen: true });
    expect(analyseQuestion('What did Ann say when Tom told her?')).toMatchObject({ asksWhen: false });
    expect(analyseQuestion('How many dogs?')).toMatchObject({ asksNumber: true });
    expect(analyseQuestion('What happened in July 2023?').dates).toMatchObject([{ year: 2023, month: 7 }]);
  });

  it.each([
    '2024 '.repeat(400_000),
    '1月'.repeat(5_000),
    'June '.repeat(100_000),
    'a\u0301\u0323'.repeat(300_000),
  ])('is read in time that grows with its length (%#)', (text) =>
    expect(analyseQuestion(text).terms.length).toBeLessThanOrEqual(48),
  );

  it('takes Mars for a planet and March for a month', () => {
    expect(analyseQuestion('Which rover landed on Mars?').dates).toEqual([]);
    expect(analyseQuestion('What did Jan Novak say?').dates).toEqual([]);
    expect(analyseQuestion('What happened in March?').dates).toMatchObject([{ month: 3 }]);
    expect(analyseQuestion('What happened last May?').dates).toMatchObject([{ month: 5 }]);
  });

  it('stays small when somebody pastes a page', () => {
    const page =
      'lorem ipsum dolor sit amet game '.repeat(300) +
      Array.from({ length: 2_000 }, (_, i) => `w${i} sport`).join(' ');
    const { terms } = analyseQuestion(page);
    expect(terms.length).toBeLessThanOrEqual(48);
    expect(terms.at(-1)!.term).toBe('w1999');
  });
});
