// Everything at once: agents work on tasks, memory and rooms while hubs are killed, frozen and starved, their connections cut and
// held up, and their database restarted. Afterwards the tables are asked whether anything was lost or done twice.
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import { pause } from '../../src/kernel/clock.ts';
import type { Database } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { makeScratch } from '../fixtures/scratch.ts';
import type { PostgresServer } from '../fixtures/postgres-server.ts';
import { openMortal, openWire } from '../linear/faults.ts';
import { createTasks, ready } from '../torture/torture.ts';
import { findViolations } from '../torture/verify.ts';
import { type Done, work } from './work.ts';

export type ChaosOptions = Readonly<{
  /** Two hubs on it; without one, a single hub on a file. */
  server?: PostgresServer;
  ms: number;
  everyMs: number;
  workers: number;
}>;

export type ChaosReport = Readonly<{
  faults: Readonly<Record<string, number>>;
  acknowledged: number;
  violations: readonly string[];
}>;

const TASKS_PER_SECOND = 6;

export async function chaos({ server, ms, everyMs, workers }: ChaosOptions): Promise<ChaosReport> {
  const folder = makeScratch('test');
  const wire = server && (await openWire(server.url));
  const schema = `chaos_${process.pid}`;
  const location = wire ? wire.url : join(folder, 'holdfast.db');
  const env = {
    HOLDFAST_LEASE: '3s',
    ...(wire
      ? { HOLDFAST_DATABASE_URL: wire.url, HOLDFAST_DATABASE_SCHEMA: schema }
      : { CLAWBOO_DB_PATH: location }),
  };
  const hubs = [await openMortal(env), ...(wire ? [await openMortal(env)] : [])];
  const any = () => hubs[Math.floor(Math.random() * hubs.length)]!;
  const kinds: Readonly<Record<string, () => Promise<void>>> = {
    killed: () => any().killAndStart(),
    frozen: () => any().freeze(1_500),
    starved: () => any().starve(1_500),
    ...(wire && {
      cut: async () => wire.cut(),
      'held up': () => wire.holdUp(1_500),
      restarted: () => server.restart('immediate'),
    }),
  };
  const faults: Record<string, number> = {};
  const violations: string[] = [];
  let done: readonly Done[] = [];
  let created: readonly string[] = [];
  try {
    created = await createTasks(hubs[0]!.address, Math.ceil((ms / 1000) * TASKS_PER_SECOND));
    let isOver = false;
    const addresses = hubs.map(({ address }) => address);
    const working = Array.from({ length: workers }, (_, i) => work(`agent-${i}`, addresses, () => isOver));
    const names = Object.keys(kinds);
    const until = performance.now() + ms;
    for (let round = 0; performance.now() < until; round += 1) {
      await pause(everyMs * (0.5 + Math.random()));
      const name = names[round % names.length]!;
      await kinds[name]!();
      faults[name] = (faults[name] ?? 0) + 1;
    }
    await Promise.all(hubs.map(({ address }) => ready(address)));
    isOver = true;
    done = await Promise.all(working);
    await finishRest(addresses, created);
    for (const { address } of hubs) violations.push(...(await brokenAudit(address)));
  } finally {
    await Promise.all(hubs.map((hub) => hub.stop()));
    wire?.close();
  }
  const db = await openDatabase(server?.url ?? location, server ? { schema } : {});
  const entries = done.flatMap((each) => each.entries);
  violations.push(
    ...(await findViolations(db, { created, entries })).violations,
    ...(await missing(db, done)),
  );
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  const acknowledged = done.reduce(
    (sum, { facts, posts }) => sum + facts.length + posts.length,
    entries.length,
  );
  return { faults, acknowledged, violations };
}

/** What nobody got to is done in peace: tasks that are stuck show here. */
async function finishRest(addresses: readonly string[], created: readonly string[]): Promise<void> {
  const until = performance.now() + 60_000;
  let left = created.length;
  await work('agent-last', addresses, () => left === 0 || performance.now() > until || (void look(), false));
  async function look(): Promise<void> {
    const told = await fetch(`${addresses[0]}/api/board/tasks?status=done&limit=1`).then((r) => r.json());
    left = created.length - (told as { total: number }).total;
  }
}

/** What was acknowledged is there, and once. */
async function missing(db: Database, done: readonly Done[]): Promise<string[]> {
  const { facts, posts } = await db.read(async (q) => ({
    facts: await q.all<{ id: string }>(sql`select id from memory_facts`),
    posts: await q.all<{ body: string; times: number }>(
      sql`select body, count(*) as times from chat_posts where kind <> 'narrator' group by body`,
    ),
  }));
  const known = new Set(facts.map(({ id }) => id));
  const times = new Map(posts.map(({ body, times: n }) => [body, n]));
  return done.flatMap((each) => [
    ...each.facts.filter((id) => !known.has(id)).map((id) => `an acknowledged fact is missing: ${id}`),
    ...each.posts
      .filter((text) => times.get(text) !== 1)
      .map((text) => `the post "${text}" is there ${times.get(text) ?? 0} times`),
  ]);
}

async function brokenAudit(address: string): Promise<string[]> {
  const response = await fetch(`${address}/api/tools/audit/verify`);
  const { ok } = (await response.json()) as { ok?: boolean };
  return ok === false ? [`the audit of ${address} is broken`] : [];
}

export function describeChaos(what: string, { faults, acknowledged, violations }: ChaosReport): string {
  const told = Object.entries(faults).map(([name, times]) => `${times} ${name}`);
  const lines = violations.slice(0, 20).map((each) => `  ${each}\n`);
  return `${what}: ${acknowledged} acknowledged, ${told.join(', ')}, ${violations.length} violations\n${lines.join('')}`;
}
