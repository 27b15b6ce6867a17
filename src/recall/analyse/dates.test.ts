import { describe, expect, it } from 'vitest';
import { dateAgreement, findDate, findDates, readDate, writeDate } from './dates.ts';

const found = (text: string) => findDates(text).map(({ year, month, day }) => ({ year, month, day }));

describe('dates', () => {
  it.each([
    '2023-05-08',
    '2023/5/8',
    '8 May 2023',
    '8 May, 2023',
    '1:56 pm on 8 May, 2023',
    'May 8, 2023',
    'May 8th 2023',
    'the 8th of May 2023',
    '08.05.2023',
    '5/8/2023',
    '8. Mai 2023',
    '8 mai 2023',
    '8 de mayo de 2023',
    '8 мая 2023',
    '2023年5月8日',
  ])('reads %s', (text) => {
    expect(found(text)).toEqual([{ year: 2023, month: 5, day: 8 }]);
    expect(findDate(text)).toMatchObject({ year: 2023, month: 5, day: 8 });
  });

  it.each([
    ['in July', [{ month: 7 }]],
    ['July 2023', [{ year: 2023, month: 7 }]],
    ['since 2021', [{ year: 2021 }]],
    ['What happened in May?', [{ month: 5 }]],
    ['you may march', []],
    ['May I come in?', []],
    ['chapter 12, page 40', []],
    ['2023-13-45', [{ year: 2023 }]],
    [
      'from 3 June to 5 July',
      [
        { month: 6, day: 3 },
        { month: 7, day: 5 },
      ],
    ],
  ])('%j has %j', (text, expected) => {
    expect(found(text)).toEqual(
      expected.map((date) => ({ year: undefined, month: undefined, day: undefined, ...date })),
    );
  });

  it('agree when every part that was asked is the same', () => {
    const actual = { year: 2023, month: 5, day: 8 };
    expect(
      [
        { year: 2023 },
        { month: 5 },
        { month: 5, day: 8 },
        { month: 5, day: 9 },
        { year: 2022, month: 5 },
        {},
      ].map((asked) => dateAgreement(asked, actual)),
    ).toEqual([1, 1, 1, 0.5, 0, 1]);
  });

  it('travel as text and back', () => {
    for (const date of [{ year: 2023, month: 5, day: 8 }, { month: 5 }, { year: 2020 }])
      expect(readDate(writeDate(date))).toMatchObject(date);
    expect(readDate('')).toEqual({ year: undefined, month: undefined, day: undefined });
  });
});
