import type { ReactNode } from 'react';
import { Bars, Legend, type Series } from './bars.tsx';
import { countPerDay, daysOf, type Given, perDay, plural } from './days.ts';
import { Picture } from './picture.tsx';
import { count, dayName, sum } from './say.ts';

export function Remembered({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.remembered;
  const saved = sum(rows.map((row) => row.saved));
  const retired = sum(rows.map((row) => row.retired));
  const given = sum(rows.map((row) => row.given));
  const series: Series[] = [
    { name: 'saved', fill: 'kelp', values: countPerDay(pulse, rows, (row) => row.saved) },
    { name: 'corrected or refuted', fill: 'amber', values: countPerDay(pulse, rows, (row) => row.retired) },
  ];
  const line = {
    name: 'given to somebody who asked',
    values: perDay(pulse, rows, (row) => row.given),
    say: count,
  };
  const answer =
    saved + retired + given === 0
      ? 'Nothing was remembered in this time.'
      : `${plural(saved, 'fact')} saved, ${count(retired)} corrected or refuted, ${count(given)} given to somebody who asked, in all projects.`;
  return (
    <Picture
      question="Does memory grow, is it kept right, and is it used?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Saved', 'Corrected or refuted', 'Given to somebody who asked'],
        rows: rows.map((row) => [dayName(row.day), row.saved, row.retired, row.given]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} line={line} say={count} />
      <Legend series={series} line={line} />
    </Picture>
  );
}

export function Credited({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.credit;
  const helped = sum(rows.map((row) => row.helped));
  const failed = sum(rows.map((row) => row.failed));
  const series: Series[] = [
    { name: 'helped', fill: 'kelp', values: countPerDay(pulse, rows, (row) => row.helped) },
    { name: 'did not help', fill: 'amber', values: countPerDay(pulse, rows, (row) => row.failed) },
  ];
  const hundredths = (value: number) => value.toFixed(2);
  const line = {
    name: 'credit they had then',
    values: perDay(pulse, rows, (row) => row.mean),
    say: hundredths,
  };
  const answer =
    helped + failed === 0
      ? 'No file of the brain was praised or blamed in this time.'
      : `Files of the brain helped ${count(helped)} times and did not ${count(failed)} times, in all projects.`;
  return (
    <Picture
      question="Does what agents wrote down help?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Helped', 'Did not help', 'Credit they had then'],
        rows: rows.map((row) => [dayName(row.day), row.helped, row.failed, hundredths(row.mean)]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} line={line} say={count} />
      <Legend series={series} line={line} />
    </Picture>
  );
}
