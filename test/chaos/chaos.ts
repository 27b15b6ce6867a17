// Everything at once: agents work on tasks, memory, rooms and servers behind the hub, runs are sent, and everything that can break
// does so in turn. Afterwards the tables are asked whether anything was lost or done twice.
import { pause } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import type { PostgresServer } from '../fixtures/postgres-server.ts';
import { createTasks, ready, remaining } from '../torture/torture.ts';
import { findViolations } from '../torture/verify.ts';
import type { Entry } from '../torture/worker.ts';
import { type Told, work } from './work.ts';
import { openWorld, type World } from './world.ts';

export type ChaosOptions = Readonly<{
  /** Two hubs on it; without one, a single hub on a file. */
  server?: PostgresServer;
  ms: number;
  everyMs: number;
  workers: number;
}>;

export type ChaosReport = Readonly<{
  faults: Readonly<Record<string, number>>;
  left: readonly string[];
  acknowledged: number;
  runs: number;
  violations: readonly string[];
}>;

const TASKS_PER_SECOND = 6;
const REST_MS = 60_000;

export async function chaos({ server, ms, everyMs, workers }: ChaosOptions): Promise<ChaosReport> {
  const world = await openWorld({ server, workers });
  try {
    const addresses = world.hubs.map(({ address }) => address);
    const created = await createTasks(addresses[0]!, Math.ceil((ms / 1000) * TASKS_PER_SECOND));
    const { times, died } = await breakAll(world, ms, everyMs);
    await Promise.all(addresses.map((address) => ready(address)));
    const told = await world.crowd.goHome();
    const runs = await world.dispatched.stop();
    await finishRest(addresses, world.token);
    const broken = await Promise.all(addresses.map((address) => brokenAudit(address)));
    const { location, schema, dispatched, left } = world;
    const db = await openDatabase(location, schema === undefined ? {} : { schema });
    try {
      const entries = told.filter((each): each is Entry => 'fence' in each);
      const violations = [
        ...died,
        ...broken.flat(),
        ...(await dispatched.violations(db)),
        ...(await findViolations(db, { created, entries })).violations,
        ...(await missing(db, told)),
      ];
      return { faults: times, left, acknowledged: told.length, runs, violations };
    } finally {
      await db.close();
    }
  } finally {
    await world.close();
  }
}

/** Each in turn, and all of them at least once. Answers how often, and what no hub should have done then. */
async function breakAll({ faults, hubs }: World, ms: number, everyMs: number): Promise<Broken> {
  const names = Object.keys(faults);
  const times: Record<string, number> = {};
  const died: string[] = [];
  const until = performance.now() + ms;
  for (let round = 0; round < names.length || performance.now() < until; round += 1) {
    await pause(everyMs * (0.5 + Math.random()));
    const name = names[round % names.length]!;
    await faults[name]!();
    times[name] = (times[name] ?? 0) + 1;
    for (const hub of hubs) if (await hub.revive()) died.push(`a hub ended by itself when ${name}`);
  }
  return { times, died };
}

type Broken = Readonly<{ times: Record<string, number>; died: readonly string[] }>;

/** What nobody got to is done in peace: tasks that are stuck show here. */
async function finishRest(addresses: readonly string[], token: string): Promise<void> {
  let isOver = false;
  const last = work({ name: 'agent-last', addresses, token, isOver: () => isOver, tell: () => undefined });
  const until = performance.now() + REST_MS;
  while (performance.now() < until && (await remaining(addresses[0]!).catch(() => 1)) > 0) await pause(100);
  isOver = true;
  await last;
}

/** What was acknowledged is there, and once. */
async function missing(db: Database, told: readonly Told[]): Promise<string[]> {
  const { facts, posts } = await db.read(async (q) => ({
    facts: await q.all<{ id: string }>(sql`select id from memory_facts`),
    posts: await q.all<{ body: string; times: number }>(
      sql`select body, count(*) as times from chat_posts where kind <> 'narrator' group by body`,
    ),
  }));
  const known = new Set(facts.map(({ id }) => id));
  const times = new Map(posts.map(({ body, times: n }) => [body, n]));
  return told.flatMap((each) => {
    if (each.op === 'remembered' && !known.has(each.id))
      return [`an acknowledged fact is missing: ${each.id}`];
    if (each.op === 'posted' && times.get(each.text) !== 1)
      return [`the post "${each.text}" is there ${times.get(each.text) ?? 0} times`];
    return each.op === 'forwarded' && each.is === 'wrong' ? ['a server behind the hub was misquoted'] : [];
  });
}

async function brokenAudit(address: string): Promise<string[]> {
  const response = await fetch(`${address}/api/tools/audit/verify`);
  const { ok } = (await response.json()) as { ok?: boolean };
  return ok === false ? [`the audit of ${address} is broken`] : [];
}

export function describeChaos(what: string, report: ChaosReport): string {
  const { faults, left, acknowledged, runs, violations } = report;
  const told = Object.entries(faults).map(([name, times]) => `${times} × ${name}`);
  const lines = [...left, ...violations.slice(0, 20)].map((each) => `  ${each}\n`);
  return `${what}: ${acknowledged} acknowledged, ${runs} runs; ${told.join(', ')}; ${violations.length} violations\n${lines.join('')}`;
}
