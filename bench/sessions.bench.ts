// Reading and finding sessions, in CPU time: a machine that others keep busy says the same.
import { mkdirSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSessions, type ClientSessions } from '../src/features/sessions/sessions.ts';
import { readSessionSettings } from '../src/features/sessions/settings.ts';
import { silentLog } from '../src/kernel/log.ts';
import { operatorPrincipal } from '../src/kernel/principal.ts';
import { redact } from '../src/kernel/redact.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { sql } from '../src/store/sql.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder } from './process.ts';
import { measureBackground } from './session-background.ts';
import { writeCorpus } from './session-corpus.ts';
import { atLeast, atMost, type Row } from './row.ts';

export const title = 'sessions: reading what clients wrote, and finding it again';

/**
 * BENCH_TURNS=1000000 is a gigabyte. With BENCH_KEEP, a folder, the store stays and the next run only asks. BENCH_ENGINE=postgres starts
 * a server of its own; BENCH_POSTGRES names one that is there.
 */
const TURNS = Number(process.env['BENCH_TURNS'] ?? 20_000);
const KEEP = process.env['BENCH_KEEP'];
const QUESTIONS = 60;
const NAMED = process.env['BENCH_POSTGRES'];
const isPostgres = NAMED !== undefined || process.env['BENCH_ENGINE'] === 'postgres';
const person = { who: operatorPrincipal, via: 'route' } as const;

export async function measure(): Promise<readonly Row[]> {
  const home = KEEP ?? freshFolder();
  const server = isPostgres && NAMED === undefined ? await startPostgres() : undefined;
  const location = NAMED ?? server?.url ?? join(home, 'sessions.db');
  const isRead = existsSync(join(home, 'read'));
  const bytes = isRead ? 0 : writeCorpus(home, TURNS);
  const db = await openDatabase(location);
  const sessions = sessionsOn(db, home);
  const rows = isRead ? [] : await measureReading({ db, sessions }, bytes);
  writeFileSync(join(home, 'read'), '');
  rows.push(...(await measureFinding({ db, sessions })), ...(await measureIndex(db)));
  if (!isPostgres) rows.push(...(await measureMany()), ...(await measureBackground()));
  await db.close();
  await server?.stop();
  if (KEEP === undefined) rmSync(home, { recursive: true, force: true });
  return rows;
}

function sessionsOn(db: Database, home: string): ClientSessions {
  const settings = readSessionSettings({ from: ['claude-code'] });
  const projects = { find: async () => undefined, workplaces: {} } as never;
  return createSessions({ db, projects, settings, env: { HOME: home }, log: silentLog });
}

type Opened = Readonly<{ db: Database; sessions: ClientSessions }>;

async function measureReading({ db, sessions }: Opened, bytes: number): Promise<Row[]> {
  const begun = process.cpuUsage();
  const before = (await serverClock(db))();
  const wall = performance.now();
  const [state] = await sessions.sync();
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const rate = bytes / 1e6 / seconds;
  const theirs = (await serverClock(db))() - before;
  const text = createCorpus();
  const sample = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 20 }, () => text.question().join(' ')).join(' '),
  );
  const size = sample.reduce((sum, each) => sum + each.length, 0);
  const bareFrom = process.cpuUsage();
  for (const each of sample) redact(each);
  const spent = process.cpuUsage(bareFrom);
  const bare = size / 1e6 / ((spent.user + spent.system) / 1e6);
  return [
    {
      what: `reading ${(bytes / 1e6).toFixed(0)} MB of JSONL, ${state!.turns} turns (${((performance.now() - wall) / 1000).toFixed(0)} s)`,
      ours: `${rate.toFixed(1)} MB/s of CPU`,
      baseline: `8 MB/s (redaction alone ${bare.toFixed(0)})`,
      ratio: rate / 8,
      hold: atLeast(1),
    },
    ...(isPostgres
      ? [
          {
            what: 'the same, the hub and its server together',
            ours: `${(bytes / 1e6 / (seconds + theirs)).toFixed(1)} MB/s of CPU`,
            baseline: `the hub alone ${rate.toFixed(1)}`,
            ratio: seconds / (seconds + theirs),
          },
        ]
      : []),
  ];
}

/** CPU of the processes that serve us now, where the server is on this machine. Those that have ended are not in it. */
async function serverClock(db: Database): Promise<() => number> {
  if (db.engine === 'sqlite') return () => 0;
  const pids = await db.read((q) => q.all<{ pid: number }>(sql`select pid from pg_stat_activity`));
  const paths = pids.map(({ pid }) => `/proc/${pid}/schedstat`).filter(existsSync);
  const nanoseconds = (path: string): number => Number(readFileSync(path, 'utf8').split(' ')[0]);
  return () => paths.filter(existsSync).reduce((sum, path) => sum + nanoseconds(path), 0) / 1e9;
}

/** BENCH_SESSIONS=50000: a folder of so many small sessions, read and looked at again when nothing has changed. */
const MANY = Number(process.env['BENCH_SESSIONS'] ?? 2_000);

async function measureMany(): Promise<Row[]> {
  const home = freshFolder();
  const folder = join(home, '.claude/projects/-many');
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < MANY; i += 1) {
    const message = { role: 'user', content: [{ type: 'text', text: `word ${i}` }] };
    const line = { type: 'user', uuid: `u${i}`, sessionId: `s${i}`, cwd: '/work', message };
    writeFileSync(join(folder, `s${i}.jsonl`), `${JSON.stringify(line)}\n`);
  }
  const db = await openDatabase(join(home, 'many.db'));
  const sessions = sessionsOn(db, home);
  const used: number[] = [];
  for (let i = 0; i < 2; i += 1) {
    const before = process.cpuUsage();
    await sessions.sync();
    const { user, system } = process.cpuUsage(before);
    used.push((user + system) / 1_000 / MANY);
  }
  await db.close();
  rmSync(home, { recursive: true, force: true });
  const [read, looked] = used as [number, number];
  return [
    {
      what: `a folder of ${MANY} sessions, each`,
      ours: `${read.toFixed(2)} ms of CPU`,
      baseline: '2 ms',
      ratio: read / 2,
      hold: atMost(1),
    },
    {
      what: 'the same, nothing has changed',
      ours: `${looked.toFixed(3)} ms of CPU`,
      baseline: '0.2 ms',
      ratio: looked / 0.2,
      hold: atMost(1),
    },
  ];
}

async function measureFinding({ db, sessions }: Opened): Promise<Row[]> {
  const corpus = createCorpus(11);
  const rare = () => corpus.question().slice(0, 2).join(' ');
  const kinds: Readonly<Record<string, () => string>> = {
    'two words': rare,
    'five words': () => corpus.question().join(' '),
    'a phrase of two words': () => `"${rare()}"`,
    'a word and a tool': () => `${corpus.question()[0]} tool:Bash`,
    'a word among errors': () => `${corpus.question()[0]} error:`,
    'a file': () => `file:src/${corpus.question()[0]}.ts`,
  };
  await sessions.search(person, { query: rare(), limit: 10 });
  const served = await serverClock(db);
  const rows: Row[] = [];
  for (const [what, ask] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let i = 0; i < QUESTIONS; i += 1) {
      const query = ask();
      const cpu = process.cpuUsage();
      const before = served();
      await sessions.search(person, { query, limit: 10 });
      const used = process.cpuUsage(cpu);
      times.push((used.user + used.system) / 1_000 + (served() - before) * 1_000);
    }
    times.sort((a, b) => a - b);
    const [p50, p95] = [times[Math.floor(QUESTIONS / 2)]!, times[Math.floor(QUESTIONS * 0.95)]!];
    rows.push({
      what: `${what}, p50 (p95 ${p95.toFixed(1)} ms)`,
      ours: `${p50.toFixed(1)} ms`,
      baseline: '25 ms',
      ratio: p50 / 25,
      hold: atMost(1),
    });
  }
  return rows;
}

async function measureIndex(db: Database): Promise<Row[]> {
  const text = await db.read((q) =>
    q.get<{ n: number }>(
      sql`select sum(octet_length(text) + octet_length(coalesce(args, ''))) as n from transcript_turns`,
    ),
  );
  const index = await db.read((q) =>
    q.get<{ n: number }>(
      db.engine === 'sqlite'
        ? sql`select sum(pgsize) as n from dbstat where name like 'transcript_words%' or name like 'transcript_turns_by%'`
        : sql`select pg_indexes_size('transcript_turns') as n`,
    ),
  );
  const [whole, words] = [text!.n, index!.n];
  return [
    {
      what: 'index',
      ours: `${(words / 1e6).toFixed(1)} MB`,
      baseline: `text ${(whole / 1e6).toFixed(1)} MB`,
      ratio: words / whole,
      ...(db.engine === 'sqlite' && { hold: atMost(0.4) }),
    },
  ];
}
