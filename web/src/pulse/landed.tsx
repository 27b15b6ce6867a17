import type { ReactNode } from 'react';
import { isOf } from '../frame/of-project.ts';
import { useProject } from '../frame/place.ts';
import { useLandings } from '../landing/queries.ts';
import { isUnderWay } from '../landing/state.tsx';
import { Bars, Legend, type Series } from './bars.tsx';
import { countPerDay, daysOf, type Given, perDay, plural } from './days.ts';
import { Picture } from './picture.tsx';
import { count, dayName, sum, time } from './say.ts';

/** What reached its target by day, and what waits for it at this moment. */
export function Landed({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.landed;
  const landed = sum(rows.map((row) => row.landed));
  const failed = sum(rows.map((row) => row.failed));
  const batches = sum(rows.map((row) => row.batches));
  const series: Series[] = [
    { name: 'landed', fill: 'kelp', values: countPerDay(pulse, rows, (row) => row.landed) },
    { name: 'failed or conflicted', fill: 'amber', values: countPerDay(pulse, rows, (row) => row.failed) },
  ];
  const line = {
    name: 'from asked to landed',
    values: perDay(pulse, rows, (row) => row.waitMs),
    say: time,
  };
  const project = useProject();
  const queued = (useLandings().data?.landings ?? []).filter(
    (each) => isUnderWay(each) && isOf(project, each.project),
  ).length;
  const became =
    landed + failed === 0
      ? 'Nothing landed in this time.'
      : `${plural(landed, 'branch').replace(/branchs$/, 'branches')} landed in ${plural(batches, 'batch').replace(/batchs$/, 'batches')}, ${count(failed)} did not.`;
  const answer = queued === 0 ? became : `${became} ${count(queued)} more in the queue now.`;
  return (
    <Picture
      question="Does work land?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Landed', 'Failed or conflicted', 'Batches', 'From asked to landed'],
        rows: rows.map((row) => [
          dayName(row.day),
          row.landed,
          row.failed,
          row.batches,
          row.waitMs === null ? '' : time(row.waitMs),
        ]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} line={line} say={count} />
      <Legend series={series} line={line} />
    </Picture>
  );
}
