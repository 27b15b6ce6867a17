import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBrain } from '../src/features/brain/brain.ts';
import { composeMemory } from '../src/features/brain/frontmatter.ts';
import { localPrincipal } from '../src/kernel/principal.ts';
import { openDatabase } from '../src/store/open.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder } from './process.ts';
import { atMost, median, p95, type Row } from './row.ts';

const FILES = Number(process.env['BENCH_FILES'] ?? 10_000);
export const title = `Brain: a vault of ${FILES} files`;

const who = localPrincipal('bench');
type Corpus = ReturnType<typeof createCorpus>;

export async function measure(): Promise<readonly Row[]> {
  const root = freshFolder();
  const folder = join(root, 'vault');
  const corpus = createCorpus();
  fill(folder, corpus);
  const place = { folder, database: join(root, 'holdfast.db') };
  const cold = await timeStart(place);
  const warm = median([await timeStart(place), await timeStart(place), await timeStart(place)]);
  const read = median([timeScan(folder), timeScan(folder), timeScan(folder)]);
  const rows: Row[] = [
    {
      what: 'first start, against reading every file once',
      ours: ms(cold),
      baseline: ms(read),
      ratio: cold / read,
    },
    {
      what: 'warm start, against reading every file once',
      ours: ms(warm),
      baseline: ms(read),
      ratio: warm / read,
      hold: atMost(3),
    },
    ...(await measureSearch(place, corpus)),
  ];
  rmSync(root, { recursive: true });
  return rows;
}

type Place = Readonly<{ folder: string; database: string }>;

function fill(folder: string, corpus: Corpus): void {
  for (let i = 0; i < FILES; i++) {
    const type = i % 3 === 0 ? 'entity' : 'episode';
    const category =
      type === 'entity'
        ? ['people', 'projects', 'preferences'][i % 9 === 0 ? 0 : 1]!
        : `2026-${String((i % 12) + 1).padStart(2, '0')}`;
    const shelf = join(folder, type === 'entity' ? 'entities' : 'episodes', category);
    mkdirSync(shelf, { recursive: true });
    const lines = Array.from({ length: 6 }, (_, n) => `- ${corpus.fact(i * 6 + n).content}`);
    const time = new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString();
    const head = {
      id: `${type}-${category}-note-${i}`,
      type,
      category,
      tags: [`topic-${i % 97}`],
      created: time,
      updated: time,
      pinned: false,
    };
    writeFileSync(join(shelf, `note-${i}.md`), composeMemory(head, `# Note ${i}\n\n${lines.join('\n')}`));
  }
}

/** From nothing to the first answer. */
async function timeStart({ folder, database }: Place): Promise<number> {
  const started = performance.now();
  const db = await openDatabase(database);
  const brain = createBrain({ db, folder, isWatched: false });
  await (await brain.open()).look({ query: 'note-77', type: null, limit: 5 });
  const took = performance.now() - started;
  await brain.close();
  await db.close();
  return took;
}

/** What a tool without an index does for every question. */
function timeScan(folder: string, query = 'no such words'): number {
  const started = performance.now();
  let hits = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (
      entry.isFile() &&
      readFileSync(join(entry.parentPath, entry.name), 'utf8').toLowerCase().includes(query)
    )
      hits += 1;
  }
  return hits < 0 ? 0 : performance.now() - started;
}

async function measureSearch({ folder, database }: Place, corpus: Corpus): Promise<Row[]> {
  const db = await openDatabase(database);
  const brain = createBrain({ db, folder, isWatched: false });
  const spent = { words: [] as number[], questions: [] as number[], noted: [] as number[] };
  for (let i = 0; i < 120; i++) {
    const words = corpus.question();
    spent.words.push(
      await timed(async () => (await brain.open()).look({ query: words[0]!, type: null, limit: 5 })),
    );
    spent.questions.push(
      await timed(async () => (await brain.open()).look({ query: words.join(' '), type: null, limit: 5 })),
    );
    spent.noted.push(
      await timed(async () =>
        (await brain.open()).search(who, { query: words.join(' '), type: null, limit: 5 }),
      ),
    );
  }
  await brain.close();
  await db.close();
  const scan = p95(Array.from({ length: 20 }, () => timeScan(folder)));
  const row = (what: string, values: readonly number[]): Row => {
    const ours = p95(values.slice(20));
    return {
      what: `${what}, p95, against a plain scan of the files`,
      ours: ms(ours),
      baseline: ms(scan),
      ratio: ours / scan,
      hold: atMost(0.35),
    };
  };
  return [
    row('search for a word', spent.words),
    row('search for a question', spent.questions),
    row('memory_search with its turn on disk', spent.noted),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
const ms = (value: number): string => `${value.toFixed(1)} ms`;
