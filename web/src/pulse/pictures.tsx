import { useState, type ReactNode } from 'react';
import { shownName } from '../parts/agent.tsx';
import { Switch } from '../parts/page.tsx';
import { Bars, Legend, PALETTE, type Series } from './bars.tsx';
import { Lanes } from './lanes.tsx';
import { Picture } from './picture.tsx';
import { countPerDay, daysOf, type Given, perDay, plural } from './days.ts';
import { count, dayName, middle, money, sum, time } from './say.ts';

export function Finished({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.finished;
  const done = sum(rows.map((row) => row.done));
  const lead = middle(rows.flatMap(({ leadMs }) => leadMs ?? []));
  const series: Series[] = [
    { name: 'finished', fill: 'kelp', values: countPerDay(pulse, rows, (row) => row.done) },
  ];
  const line = {
    name: 'from created to done',
    values: perDay(pulse, rows, (row) => row.leadMs),
    say: time,
  };
  const answer =
    done === 0
      ? 'Nothing was finished in this time.'
      : `${plural(done, 'task')} finished, half of them within ${time(lead ?? 0)}.`;
  return (
    <Picture
      question="How much gets finished, and how long does it take?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Finished', 'From created to done'],
        rows: rows.map((row) => [dayName(row.day), row.done, row.leadMs === null ? '' : time(row.leadMs)]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} line={line} say={count} />
      <Legend series={series} line={line} />
    </Picture>
  );
}

const MOST_NAMES = 5;
const BY = [
  ['agent', 'Agent'],
  ['project', 'Project'],
] as const;
const WHAT = [
  ['costUsd', 'Cost'],
  ['tokens', 'Tokens'],
] as const;

export function Spent({ pulse, isTable }: Given): ReactNode {
  const [by, setBy] = useState<'agent' | 'project'>('agent');
  const [what, setWhat] = useState<'costUsd' | 'tokens'>('costUsd');
  const rows = pulse.spent;
  const total = sum(rows.map((row) => row[what]));
  const say = what === 'costUsd' ? money : count;
  const names = [...Map.groupBy(rows, (row) => row[by])]
    .map(([name, own]) => ({ name, all: sum(own.map((row) => row[what])) }))
    .filter(({ all }) => all > 0)
    .sort((a, b) => b.all - a.all);
  const kept = names.slice(0, MOST_NAMES).map(({ name }) => name);
  const of = (name: string | undefined) => (day: number) =>
    sum(
      rows
        .filter((row) => row.day === day && (name === undefined ? !kept.includes(row[by]) : row[by] === name))
        .map((row) => row[what]),
    );
  const series: Series[] = [
    ...kept.map((name, at) => ({
      name: name === '' ? 'no project' : name,
      fill: PALETTE[at]!,
      values: daysOf(pulse).map(of(name)),
    })),
    ...(names.length > MOST_NAMES
      ? [{ name: 'the others', fill: 'faint' as const, values: daysOf(pulse).map(of(undefined)) }]
      : []),
  ];
  const first = names[0];
  const answer =
    total === 0 || !first
      ? 'No run said what it cost in this time.'
      : `${say(total)}${what === 'tokens' ? ' tokens' : ''} in all, most of it ${by === 'agent' ? 'by' : 'in'} ${first.name === '' ? 'no project' : first.name} (${say(first.all)}).`;
  return (
    <Picture
      question="What does it cost, and who spends it?"
      answer={answer}
      isTable={isTable}
      isEmpty={total === 0}
      aside={
        <span className="flex flex-wrap gap-2">
          <Switch label="By" value={by} options={BY} onChange={(to) => setBy(to)} />
          <Switch label="What" value={what} options={WHAT} onChange={(to) => setWhat(to)} />
        </span>
      }
      table={{
        heads: ['Day', 'Agent', 'Project', 'Runs', 'Cost', 'Tokens'],
        rows: rows.map((row) => [
          dayName(row.day),
          row.agent,
          row.project,
          row.runs,
          money(row.costUsd),
          count(row.tokens),
        ]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} say={say} />
      <Legend series={series} />
    </Picture>
  );
}

export function Waited({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.waited;
  const asked = sum(rows.map((row) => row.asked));
  const expired = sum(rows.map((row) => row.expired));
  const wait = middle(rows.flatMap(({ waitMs }) => waitMs ?? []));
  const series: Series[] = [
    { name: 'asked', fill: 'tide', values: countPerDay(pulse, rows, (row) => row.asked - row.expired) },
    { name: 'ran out', fill: 'amber', values: countPerDay(pulse, rows, (row) => row.expired) },
  ];
  const line = { name: 'until answered', values: perDay(pulse, rows, (row) => row.waitMs), say: time };
  const answer =
    asked === 0
      ? 'Nobody asked you anything in this time.'
      : `${plural(asked, 'request')}${wait === undefined ? '' : `, half of them answered within ${time(wait)}`}${expired === 0 ? '.' : `; ${count(expired)} ran out before anybody answered.`}`;
  return (
    <Picture
      question="How long did things wait for me?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Asked', 'Ran out', 'Until answered'],
        rows: rows.map((row) => [
          dayName(row.day),
          row.asked,
          row.expired,
          row.waitMs === null ? '' : time(row.waitMs),
        ]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} line={line} say={count} />
      <Legend series={series} line={line} />
    </Picture>
  );
}

export function AtWork({ pulse, isTable }: Given): ReactNode {
  const { lanes, now } = pulse;
  const agents = new Set(lanes.map(({ agent }) => agent)).size;
  const open = lanes.filter(({ to }) => to === null).length;
  const answer =
    agents === 0
      ? 'Nobody held a task in the last day.'
      : `${plural(agents, 'agent')} held ${plural(lanes.length, 'task')} in the last day; ${count(open)} of them now.`;
  const clock = (at: number) =>
    new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return (
    <Picture
      question="Who was at work over the day?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Agent', 'Task', 'From', 'To', 'Ended'],
        rows: lanes.map((lane) => [
          shownName(lane.agent),
          lane.task,
          clock(lane.from),
          lane.to === null ? 'now' : clock(lane.to),
          lane.end ?? '',
        ]),
      }}
    >
      <Lanes label={answer} lanes={lanes} now={now} />
    </Picture>
  );
}

export function Calls({ pulse, isTable }: Given): ReactNode {
  const rows = pulse.calls;
  const all = sum(rows.map((row) => row.calls));
  const refused = sum(rows.map((row) => row.refused));
  const failed = sum(rows.map((row) => row.failed));
  const series: Series[] = [
    {
      name: 'well',
      fill: 'tide',
      values: countPerDay(pulse, rows, (row) => row.calls - row.refused - row.failed),
    },
    { name: 'failed', fill: 'soft', values: countPerDay(pulse, rows, (row) => row.failed) },
    { name: 'refused', fill: 'amber', values: countPerDay(pulse, rows, (row) => row.refused) },
  ];
  const answer =
    all === 0
      ? 'No governed tool was called in this time.'
      : `${plural(all, 'call')}, ${count(refused)} refused and ${count(failed)} failed.`;
  return (
    <Picture
      question="What do agents call, and what is refused?"
      answer={answer}
      isTable={isTable}
      table={{
        heads: ['Day', 'Calls', 'Refused', 'Failed'],
        rows: rows.map((row) => [dayName(row.day), row.calls, row.refused, row.failed]),
      }}
    >
      <Bars label={answer} ticks={daysOf(pulse).map(dayName)} series={series} say={count} />
      <Legend series={series} />
    </Picture>
  );
}
