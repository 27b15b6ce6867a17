// Reading and finding sessions, in CPU time: a machine that others keep busy says the same.
import { mkdirSync, rmSync, statSync, writeFileSync, appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createSessions, type ClientSessions } from '../src/features/sessions/sessions.ts';
import { readSessionSettings } from '../src/features/sessions/settings.ts';
import { silentLog } from '../src/kernel/log.ts';
import { operatorPrincipal } from '../src/kernel/principal.ts';
import { redact } from '../src/kernel/redact.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { sql } from '../src/store/sql.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder } from './process.ts';
import { atLeast, atMost, type Row } from './row.ts';

export const title = 'sessions: reading what clients wrote, and finding it again';

/** BENCH_TURNS=1000000 is a gigabyte. With BENCH_KEEP, a folder, the store stays and the next run only asks. */
const TURNS = Number(process.env['BENCH_TURNS'] ?? 20_000);
const KEEP = process.env['BENCH_KEEP'];
const PER_SESSION = 500;
const QUESTIONS = 60;
const person = { who: operatorPrincipal, via: 'route' } as const;

export async function measure(): Promise<readonly Row[]> {
  const home = KEEP ?? freshFolder();
  const location = process.env['BENCH_POSTGRES'] ?? join(home, 'sessions.db');
  const isRead = existsSync(join(home, 'read'));
  const bytes = isRead ? 0 : writeCorpus(home);
  const db = await openDatabase(location);
  const sessions = sessionsOn(db, home);
  const rows = isRead ? [] : await measureReading(sessions, bytes);
  writeFileSync(join(home, 'read'), '');
  rows.push(...(await measureFinding(sessions)), ...(await measureIndex(db)), ...(await measureMany()));
  await db.close();
  if (KEEP === undefined) rmSync(home, { recursive: true, force: true });
  return rows;
}

function sessionsOn(db: Database, home: string): ClientSessions {
  const settings = readSessionSettings({ from: ['claude-code'] });
  const projects = { find: async () => undefined, workplaces: {} } as never;
  return createSessions({ db, projects, settings, env: { HOME: home }, log: silentLog });
}

/** Lines as Claude Code writes them: words by Zipf's law, about a kilobyte each, calls and results between what is said. */
function writeCorpus(home: string): number {
  const corpus = createCorpus();
  const folder = join(home, '.claude/projects/-bench');
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (let from = 0; from < TURNS; from += PER_SESSION) {
    const session = `bench-${from / PER_SESSION}`;
    const path = join(folder, `${session}.jsonl`);
    const lines = Array.from({ length: Math.min(PER_SESSION, TURNS - from) }, (_, i) =>
      lineOf(from + i, session),
    );
    writeFileSync(path, '');
    appendFileSync(path, lines.join(''));
    bytes += statSync(path).size;
  }
  return bytes;

  function lineOf(i: number, session: string): string {
    const said = (count: number): string =>
      Array.from({ length: count / 5 }, () => corpus.question().join(' ')).join(' ');
    const blocks = [
      () => ['user', { type: 'text', text: said(60) }],
      () => ['assistant', { type: 'text', text: said(120) }],
      () => [
        'assistant',
        {
          type: 'tool_use',
          id: `c${i}`,
          name: i % 8 === 2 ? 'Bash' : 'Read',
          input: { file_path: `/work/src/${corpus.question()[0]}.ts`, command: said(10) },
        },
      ],
      () => [
        'user',
        { type: 'tool_result', tool_use_id: `c${i - 1}`, is_error: i % 40 === 3, content: said(220) },
      ],
    ] as const;
    const [type, block] = blocks[i % 4]!() as unknown as readonly [string, object];
    return `${JSON.stringify({ parentUuid: `p${i}`, isSidechain: false, type, message: { role: type, model: 'claude-x', content: [block] }, uuid: `u${i}-${session}`, timestamp: new Date(1_700_000_000_000 + i * 1_000).toISOString(), cwd: '/work', sessionId: session, version: '2.1.325', gitBranch: 'main' })}\n`;
  }
}

async function measureReading(sessions: ClientSessions, bytes: number): Promise<Row[]> {
  const begun = process.cpuUsage();
  const wall = performance.now();
  const [state] = await sessions.sync();
  const { user, system } = process.cpuUsage(begun);
  const seconds = (user + system) / 1e6;
  const rate = bytes / 1e6 / seconds;
  const text = createCorpus();
  const sample = Array.from({ length: 3_000 }, () =>
    Array.from({ length: 20 }, () => text.question().join(' ')).join(' '),
  );
  const size = sample.reduce((sum, each) => sum + each.length, 0);
  const before = process.cpuUsage();
  for (const each of sample) redact(each);
  const spent = process.cpuUsage(before);
  const bare = size / 1e6 / ((spent.user + spent.system) / 1e6);
  return [
    {
      what: `reading ${(bytes / 1e6).toFixed(0)} MB of JSONL, ${state!.turns} turns (${((performance.now() - wall) / 1000).toFixed(0)} s)`,
      ours: `${rate.toFixed(1)} MB/s of CPU`,
      baseline: `8 MB/s (redaction alone ${bare.toFixed(0)})`,
      ratio: rate / 8,
      hold: atLeast(1),
    },
  ];
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

async function measureFinding(sessions: ClientSessions): Promise<Row[]> {
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
  const rows: Row[] = [];
  for (const [what, ask] of Object.entries(kinds)) {
    const times: number[] = [];
    for (let i = 0; i < QUESTIONS; i += 1) {
      const query = ask();
      const cpu = process.cpuUsage();
      const begun = performance.now();
      await sessions.search(person, { query, limit: 10 });
      const used = process.cpuUsage(cpu);
      // The disk counts as well, other people's work does not.
      times.push(
        process.env['BENCH_POSTGRES'] === undefined
          ? (used.user + used.system) / 1_000
          : performance.now() - begun,
      );
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
