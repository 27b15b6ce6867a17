import type { ReactNode } from 'react';
import { useRunners } from '../runners/queries.ts';
import { Bars, Legend, type Series } from './bars.tsx';
import { Picture } from './picture.tsx';
import { count, sum } from './say.ts';

/** Of this moment, not of the days: a slot that was free yesterday helps nobody. */
export function Slots({ isTable = false }: Readonly<{ isTable?: boolean }>): ReactNode {
  const { data } = useRunners();
  const all = data?.runners ?? [];
  const living = all.filter(({ state }) => state !== 'lost');
  const [busy, slots] = [sum(living.map((each) => each.busy)), sum(living.map((each) => each.slots))];
  const answer =
    all.length === 0
      ? 'No other machine takes runs.'
      : `${count(busy)} of ${count(slots)} slots are busy on ${count(living.length)} of ${count(all.length)} runners.`;
  const series: Series[] = [
    { name: 'busy', fill: 'kelp', values: living.map((each) => Math.min(each.busy, each.slots)) },
    { name: 'free', fill: 'edge', values: living.map((each) => Math.max(0, each.slots - each.busy)) },
  ];
  return (
    <Picture
      question="Is there room on the machines?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Runner', 'State', 'Busy', 'Slots'],
        rows: all.map((each) => [each.name, each.state, each.busy, each.slots]),
      }}
    >
      <Bars label={answer} ticks={living.map(({ name }) => name)} series={series} say={count} />
      <Legend series={series} />
    </Picture>
  );
}
