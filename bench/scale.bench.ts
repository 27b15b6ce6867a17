// Three hubs on one PostgreSQL beside one, what the counter of events allows, and what a model that knows only one hub and its listener
// says of three. `--record` writes the tables of docs/design/scale.md.
import pg from 'pg';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import type { BenchOptions } from './options.ts';
import { atMost, type Row } from './row.ts';
import { type CounterFigures, measureCounters } from './scale-counter.ts';
import { type OperationCost, type Outcome, type Scale, simulate } from './scale-model.ts';
import { recordScale } from './scale-record.ts';
import { type Costs, costsOf, openHubs, type StepCost } from './scale-work.ts';
import { watchServer } from './server-cpu.ts';

export const title =
  'Scale: CPU per call on one hub and on three with one PostgreSQL, and what a model says of it';

const CALLS = 240;
const AGENTS = 10_000;
const THINK_MS = 5_000;
const HUBS = [1, 2, 4, 8, 16, 32, 64];
const CORES = 16;
/** What a person would ask: much is looked at, some is written. */
const SHARES: Readonly<Record<string, readonly [share: number, isWrite: boolean]>> = {
  create: [1, true],
  'claim the next': [1, true],
  finish: [1, true],
  'list ready, 20': [3, false],
  'save a fact': [1, true],
  'search facts': [2, false],
  'post to a room': [1, true],
};

export type ScaleFigures = Readonly<{
  one: Costs;
  three: Costs;
  heard: Scale['heard'];
  events: Readonly<Record<string, number>>;
  counters: readonly CounterFigures[];
  predicted: Outcome;
  measured: StepCost;
  curve: readonly Readonly<{ hubs: number; outcome: Outcome }>[];
  /** With sixteen hubs. */
  apart: readonly Readonly<{ how: string; outcome: Outcome }>[];
}>;

export async function measure({ isRecorded }: BenchOptions): Promise<readonly Row[]> {
  const server = await startPostgres({ isSynced: true });
  const watched = await watchServer(server.url);
  try {
    const counters: CounterFigures[] = [];
    for (const count of [1, 4, 16]) counters.push(await measureCounters(server.url, count, watched.cpu));
    const costs = async (hubs: number, busy: number) => {
      const schema = `scale_${hubs}_${busy}`;
      const opened = await openHubs(hubs, server.url, schema);
      const found = await costsOf(opened, watched, { busy, calls: CALLS });
      const events = await eventsIn(server.url, schema);
      await Promise.all(opened.map(({ measured }) => measured.stop()));
      return { found, events };
    };
    const { found: one, events: written } = await costs(1, 1);
    const { found: beside } = await costs(2, 1);
    const { found: three } = await costs(3, 3);
    const events = perCall(written);
    const heard = heardPerEvent(one, beside, events);
    const figures = modelled({ one, three, heard, events, counters });
    if (isRecorded) recordScale(figures);
    return rowsOf(figures);
  } finally {
    await watched.close();
    await server.stop();
  }
}

/** By kind of subject, as they were written: what a call of each kind writes is counted and not known. */
async function eventsIn(url: string, schema: string): Promise<Readonly<Record<string, number>>> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ kind: string; times: string }>(
    `select kind, count(*) as times from ${schema}.events group by kind`,
  );
  await client.end();
  return Object.fromEntries(rows.map(({ kind, times }) => [kind, Number(times)]));
}

/** All events of the run over all calls that write: every one of them is heard alike. */
function perCall(kinds: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  const all = Object.values(kinds).reduce((sum, times) => sum + times, 0);
  const writes = Object.values(SHARES).filter(([, isWrite]) => isWrite).length;
  return Object.fromEntries(
    Object.entries(SHARES).map(([what, [, isWrite]]) => [what, isWrite ? all / (writes * CALLS) : 0]),
  );
}

/** What the same work costs more when a second hub listens, of the steps that write. */
function heardPerEvent(one: Costs, beside: Costs, events: Readonly<Record<string, number>>): Scale['heard'] {
  const sum = (of: (what: string) => number) =>
    Object.keys(SHARES)
      .filter((what) => events[what]! > 0)
      .reduce((all, what) => all + of(what), 0);
  const written = sum((what) => events[what]!);
  const more = (part: keyof StepCost) =>
    Math.max(0, sum((what) => beside[what]![part] - one[what]![part]) / written);
  return { hub: more('hub'), server: more('server') };
}

type Known = Pick<ScaleFigures, 'one' | 'three' | 'heard' | 'events' | 'counters'>;

function modelled(known: Known): ScaleFigures {
  const { one, three, heard, events, counters } = known;
  const scaleOf = (shareOf: (what: string) => number, serverCores: number): Scale => ({
    operations: Object.entries(one).map(([what, cost]): OperationCost => ({
      what,
      share: shareOf(what),
      events: events[what]!,
      ...cost,
    })),
    heard,
    heldMs: counters[0]!.heldMs,
    serverCores,
    writers: 8,
  });
  // The measured run asked each kind as often as any other.
  const alike = scaleOf(() => 1, 2);
  const predicted = simulate(alike, { hubs: 3, agents: 12, thinkMs: 1, seconds: 60 });
  const mean = (part: keyof StepCost) =>
    Object.values(three).reduce((sum, cost) => sum + cost[part], 0) / Object.keys(three).length;
  const mixed = scaleOf((what) => SHARES[what]![0], CORES);
  const crowd = { agents: AGENTS, thinkMs: THINK_MS, seconds: 30 };
  return {
    ...known,
    predicted,
    measured: { hub: mean('hub'), server: mean('server') },
    curve: HUBS.map((hubs) => ({ hubs, outcome: simulate(mixed, { ...crowd, hubs }) })),
    apart: [
      { how: 'one counter, every hub hears of everything', counters: 1, listeners: 15 },
      { how: 'a counter per tenant, every hub hears of everything', counters: 16, listeners: 15 },
      { how: 'one counter, each hub hears of its tenants alone', counters: 1, listeners: 0 },
      { how: 'a counter per tenant, each hub hears of its tenants alone', counters: 16, listeners: 0 },
    ].map(({ how, ...apart }) => ({ how, outcome: simulate(mixed, { ...crowd, hubs: 16, ...apart }) })),
  };
}

function rowsOf({ one, three, predicted, measured, counters }: ScaleFigures): Row[] {
  const ms = (value: number) => `${value.toFixed(2)} ms`;
  const whole = ({ hub, server }: StepCost) => hub + server;
  const [single, ...more] = counters;
  return [
    ...Object.entries(three).map(([what, cost]) => ({
      what: `${what}: three hubs and the server, beside one hub and the server`,
      ours: ms(whole(cost)),
      baseline: ms(whole(one[what]!)),
      ratio: whole(cost) / whole(one[what]!),
    })),
    {
      what: 'the model on CPU per call of three hubs, off by',
      ours: ms(predicted.hubCpu + predicted.serverCpu),
      baseline: ms(whole(measured)),
      ratio: Math.abs((predicted.hubCpu + predicted.serverCpu) / whole(measured) - 1),
      hold: atMost(0.3),
    },
    ...more.map(({ counters: count, perSecond }) => ({
      what: `commits that take a counter, ${count} counters beside one`,
      ours: `${perSecond.toFixed(0)}/s`,
      baseline: `${single!.perSecond.toFixed(0)}/s`,
      ratio: perSecond / single!.perSecond,
    })),
  ];
}
