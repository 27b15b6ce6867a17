// The tables of docs/design/scale.md, between its marks.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import type { Outcome } from './scale-model.ts';
import type { ScaleFigures } from './scale.bench.ts';

const page = new URL('../docs/design/scale.md', import.meta.url);
const MARKS = ['<!-- measured -->', '<!-- end of measured -->'] as const;

export function recordScale(figures: ScaleFigures): void {
  const text = readFileSync(page, 'utf8');
  const [before, rest] = text.split(MARKS[0]);
  const [, after] = rest!.split(MARKS[1]);
  writeFileSync(page, `${before}${MARKS[0]}\n\n${tables(figures)}\n${MARKS[1]}${after}`);
}

function tables({ one, three, heard, counters, predicted, measured, curve, apart }: ScaleFigures): string {
  const [cpu] = cpus();
  const machine = `${cpus().length} cores (${cpu!.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const ms = (value: number) => value.toFixed(2);
  const percent = (value: number) => `${Math.round(100 * value)} %`;
  const off = (is: number, was: number) => `${is >= was ? '+' : '−'}${percent(Math.abs(is / was - 1))}`;
  const outcome = ({ perSecond, hubCpu, serverCpu, p50, p95, busy }: Outcome) =>
    `${perSecond.toFixed(0)} | ${ms(hubCpu)} | ${ms(serverCpu)} | ${p50.toFixed(0)} | ${p95.toFixed(0)} | ${percent(busy.hub)} | ${percent(busy.server)} | ${percent(busy.counter)} | ${percent(busy.connections)}`;
  return `Measured on ${machine}, ${new Date().toISOString().slice(0, 10)}, by \`npm run bench -- scale --record\`; milliseconds of CPU per call.

| call | one hub | its PostgreSQL | three hubs, together | their PostgreSQL |
|---|---|---|---|---|
${Object.entries(one)
  .map(
    ([what, cost]) =>
      `| ${what} | ${ms(cost.hub)} | ${ms(cost.server)} | ${ms(three[what]!.hub)} | ${ms(three[what]!.server)} |`,
  )
  .join('\n')}
| all, alike: measured | | | ${ms(measured.hub)} | ${ms(measured.server)} |
| all, alike: simulated | | | ${ms(predicted.hubCpu)} (${off(predicted.hubCpu, measured.hub)}) | ${ms(predicted.serverCpu)} (${off(predicted.serverCpu, measured.server)}) |

One event costs each hub that hears of it ${ms(heard.hub)} ms, and the server ${ms(heard.server)} ms to tell it.

| counters | commits a second, 16 writers | held | CPU of the server each |
|---|---|---|---|
${counters.map((each) => `| ${each.counters} | ${each.perSecond.toFixed(0)} | ${ms(each.heldMs)} ms | ${ms(each.cpuMs)} ms |`).join('\n')}

Simulated: 10,000 agents that think for five seconds between two calls, PostgreSQL with 16 cores.

| hubs | calls a second | hubs, ms each | server, ms each | p50, ms | p95, ms | fullest hub | server | counter | connections |
|---|---|---|---|---|---|---|---|---|---|
${curve.map((each) => `| ${each.hubs} | ${outcome(each.outcome)} |`).join('\n')}

The same with 16 hubs, sixteen tenants, and less in common:

| how | calls a second | hubs, ms each | server, ms each | p50, ms | p95, ms | fullest hub | server | counter | connections |
|---|---|---|---|---|---|---|---|---|---|
${apart.map((each) => `| ${each.how} | ${outcome(each.outcome)} |`).join('\n')}
`;
}
