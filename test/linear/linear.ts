// Histories of a whole hub, and of three on one PostgreSQL, made while they are killed, restarted and cut off.
import { pause } from '../../src/kernel/clock.ts';
import type { PostgresServer } from '../fixtures/postgres-server.ts';
import { check, type Verdict } from './checker.ts';
import { openMortal, openWire } from './faults.ts';
import type { Call } from './history.ts';
import { LEASE_MS, record } from './record.ts';

export type Outcome = Readonly<{
  calls: number;
  refused: number;
  lost: number;
  breaks: number;
  verdict: Verdict;
}>;

type Asked = Readonly<{ calls: number; everyMs: number }>;

/** The hub's clock is ours, but a busy machine reads it late. */
const LEASE = { ms: LEASE_MS, slackMs: 1_000 };
const CLIENTS = 16;
const TASKS = 6;

/** One hub on a file, killed and started again. */
export async function linearOnFile({ calls, everyMs }: Asked): Promise<Outcome> {
  const hub = await openMortal({ HOLDFAST_LEASE: `${LEASE_MS}ms` });
  let breaks = 0;
  try {
    const history = await record({
      addresses: [hub.address],
      clients: CLIENTS,
      tasks: TASKS,
      calls,
      async disturb(isOver) {
        for (;;) {
          await pause(everyMs);
          if (isOver()) return;
          await hub.killAndStart();
          breaks += 1;
        }
      },
    });
    return outcomeOf(history, breaks);
  } finally {
    await hub.stop();
  }
}

type Database = Readonly<{ server: PostgresServer; schema: string }>;

/** Three hubs: killed, their connections cut, their database restarted, in turn. */
export async function linearOnServer(
  { server, schema }: Database,
  { calls, everyMs }: Asked,
): Promise<Outcome> {
  const wire = await openWire(server.url);
  const env = {
    HOLDFAST_LEASE: `${LEASE_MS}ms`,
    HOLDFAST_DATABASE_URL: wire.url,
    HOLDFAST_DATABASE_SCHEMA: schema,
  };
  const hubs = [await openMortal(env), await openMortal(env), await openMortal(env)];
  let breaks = 0;
  const faults = [
    () => hubs[breaks % hubs.length]!.killAndStart(),
    async () => wire.cut(),
    () => server.restart('immediate'),
  ];
  try {
    const history = await record({
      addresses: hubs.map(({ address }) => address),
      clients: CLIENTS,
      tasks: TASKS,
      calls,
      async disturb(isOver) {
        for (;;) {
          await pause(everyMs);
          if (isOver()) return;
          await faults[breaks % faults.length]!();
          breaks += 1;
        }
      },
    });
    return outcomeOf(history, breaks);
  } finally {
    await Promise.all(hubs.map((hub) => hub.stop()));
    wire.close();
  }
}

function outcomeOf(history: readonly Call[], breaks: number): Outcome {
  const count = (is: Call['answer']['is']) => history.filter(({ answer }) => answer.is === is).length;
  return {
    calls: history.length,
    refused: count('refused'),
    lost: count('lost'),
    breaks,
    verdict: check(history, LEASE),
  };
}

export function describeLinear(what: string, { calls, refused, lost, breaks, verdict }: Outcome): string {
  const counts = `${calls} calls by ${CLIENTS} clients, ${refused} refused, ${lost} not answered, ${breaks} faults`;
  return `${what}: ${counts}, ${verdict.is}\n${verdict.is === 'broken' ? `${JSON.stringify(verdict, undefined, 1)}\n` : ''}`;
}
