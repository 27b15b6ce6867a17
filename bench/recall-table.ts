/**
 * The table of docs/design/recall.md: how well recall finds what was asked for, on the sets of this repository.
 *
 *   npx node bench/recall-table.ts              prints it
 *   npx node bench/recall-table.ts --write      puts it into the page
 *   npx node bench/recall-table.ts --set-aside  also the part that no weight was chosen by: once, when the work is done
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findItems } from '../src/recall/find.ts';
import { createMemoryIndex } from '../src/recall/memory-index.ts';
import { newerFirst } from '../src/recall/newer-first.ts';
import { createRecall } from '../src/recall/recall.ts';
import type { SignalName } from '../src/recall/score/weights.ts';
import { systemActor } from '../src/kernel/principal.ts';
import { openDatabase } from '../src/store/open.ts';
import {
  ANNOTATED_CONVERSATIONS,
  HELD_OUT_CONVERSATIONS,
  LONG_CONVERSATIONS,
  readConversations,
  WORK_CHATS,
  WORK_CHATS_ASIDE,
} from '../test/fixtures/conversations.ts';
import type { Conversation, Question, Turn } from '../test/fixtures/conversations.ts';
import { bareFullText } from '../test/fixtures/bare-full-text.ts';
import { CODING_SEEN, readCoding } from '../test/fixtures/coding.ts';
import { readAllNotes, SET_ASIDE, WAYS } from '../test/fixtures/notes.ts';
import { median } from './row.ts';

type Ask = (question: string) => Promise<readonly string[]>;
type Measured = Readonly<{ first: number; recall: number; mrr: number; count: number }>;

const PAGE = new URL('../docs/design/recall.md', import.meta.url);
const args = new Set(process.argv.slice(2));
const { notes, questions } = readAllNotes();
const chosen = questions.filter(({ team }) => !SET_ASIDE.includes(team));
const aside = questions.filter(({ team }) => SET_ASIDE.includes(team));

const coding = readCoding();
const isSeen = (project: string): boolean => (CODING_SEEN as readonly string[]).includes(project);
const codingSeen = coding.questions.filter(({ project }) => isSeen(project));
const codingAside = coding.questions.filter(({ project }) => !isSeen(project));
const withCoding = [...notes, ...coding.notes];

/** Measured by the same questions with the engine of release 0.1.0, whose word lists are gone. */
const BEFORE: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./baselines/recall.json', import.meta.url), 'utf8'),
) as Record<string, string>;

function store(turns: readonly Turn[], without?: SignalName): Ask {
  const index = createMemoryIndex();
  for (const { ref, ...turn } of turns) index.add({ id: ref, ...turn });
  const postings = index.postings();
  return async (question) =>
    newerFirst((await findItems(question, postings, { without })).ranked)
      .slice(0, 20)
      .map(({ item }) => item.id);
}

async function measure(asked: readonly Question[], ask: Ask): Promise<Measured> {
  let [first, recall, mrr] = [0, 0, 0];
  for (const { text, evidence } of asked) {
    const refs = await ask(text);
    const at = refs.findIndex((ref) => evidence.includes(ref));
    first += at === 0 ? 1 : 0;
    mrr += at < 0 ? 0 : 1 / (at + 1);
    recall += evidence.filter((ref) => refs.slice(0, 10).includes(ref)).length / evidence.length;
  }
  const count = asked.length;
  return { first: first / count, recall: recall / count, mrr: mrr / count, count };
}

async function measureApart(
  conversations: readonly Conversation[],
  storeOf: (turns: readonly Turn[]) => Ask = store,
): Promise<Measured> {
  const all = await Promise.all(
    conversations.map(({ turns, questions: asked }) => measure(asked, storeOf(turns))),
  );
  const count = all.reduce((sum, one) => sum + one.count, 0);
  const mean = (pick: (one: Measured) => number): number =>
    all.reduce((sum, one) => sum + pick(one) * one.count, 0) / count;
  return {
    first: mean((one) => one.first),
    recall: mean((one) => one.recall),
    mrr: mean((one) => one.mrr),
    count,
  };
}

const short = (value: number): string => value.toFixed(3).replace(/^0/, '');
const pair = ({ recall, mrr }: Measured): string => `${short(recall)} / ${short(mrr)}`;
const row = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;

async function quality(): Promise<string[]> {
  const lines = [
    row(['set', 'questions', 'R@1', 'R@10', 'MRR', 'bare FTS5: R@10 / MRR', 'release 0.1.0: R@10 / MRR']),
    row(['---', '---', '---', '---', '---', '---', '---']),
  ];
  const add = (name: string, { first, recall, mrr, count }: Measured, bare: Measured): void =>
    void lines.push(
      row([name, count, short(first), short(recall), short(mrr), pair(bare), BEFORE[name] ?? '']),
    );
  const ofNotes = [store(notes), bareFullText(notes)] as const;
  const ofAll = [store(withCoding), bareFullText(withCoding)] as const;
  const addNotes = async (name: string, asked: readonly Question[], [ask, bare] = ofNotes): Promise<void> =>
    add(name, await measure(asked, ask), await measure(asked, bare));
  const addChats = async (name: string, chats: readonly Conversation[]): Promise<void> =>
    add(name, await measureApart(chats), await measureApart(chats, bareFullText));
  const isAll = args.has('--set-aside');
  for (const way of WAYS) {
    const name = `notes, ${{ words: 'with the words at hand', memory: 'from memory', symptom: 'by symptom' }[way]}`;
    await addNotes(
      name,
      chosen.filter((question) => question.way === way),
    );
    if (isAll)
      await addNotes(
        `${name}, set aside`,
        aside.filter((question) => question.way === way),
      );
  }
  for (const way of ['error', 'symbol', 'config', 'fix'] as const) {
    const ofWay = ({ way: own }: (typeof codingSeen)[number]): boolean => own === way;
    await addNotes(`coding, ${way}`, codingSeen.filter(ofWay), ofAll);
    if (isAll) await addNotes(`coding, ${way}, set aside`, codingAside.filter(ofWay), ofAll);
  }
  await addNotes('coding, all', codingSeen, ofAll);
  if (isAll) await addNotes('coding, all, set aside', codingAside, ofAll);
  await addChats('chats about work', readConversations(WORK_CHATS));
  if (isAll) await addChats('chats about work, set aside', readConversations(WORK_CHATS_ASIDE));
  await addChats('year-long chats', readConversations(ANNOTATED_CONVERSATIONS));
  await addChats('the same, from memory', readConversations(ANNOTATED_CONVERSATIONS, 'paraphrases'));
  await addChats('chats set aside', readConversations(HELD_OUT_CONVERSATIONS));
  await addChats('winding chats', readConversations(LONG_CONVERSATIONS));
  return lines;
}

async function ablation(): Promise<string[]> {
  const signals: readonly (SignalName | undefined)[] = [
    undefined,
    'lead',
    'likely',
    'coverage',
    'topic',
    'company',
    'phrase',
    'moment',
    'window',
    'sense',
    'episode',
    'answer',
    'before',
    'speaker',
    'party',
    'length',
  ];
  const isAll = args.has('--set-aside');
  const heads = ['notes', 'coding', 'chats', 'chats about work'];
  const columns = isAll ? [...heads, ...heads.map((head) => `${head}, set aside`)] : heads;
  const lines = [row(['left out: R@10 / MRR', ...columns]), row(['---', ...columns.map(() => '---')])];
  const chats = readConversations(ANNOTATED_CONVERSATIONS.slice(0, 3));
  for (const without of signals) {
    const storeOf = (turns: readonly Turn[]): Ask => store(turns, without);
    const half = async (isAside: boolean): Promise<string[]> => [
      pair(await measure(isAside ? aside : chosen, storeOf(notes))),
      pair(await measure(isAside ? codingAside : codingSeen, storeOf(withCoding))),
      pair(await measureApart(isAside ? readConversations(HELD_OUT_CONVERSATIONS) : chats, storeOf)),
      pair(await measureApart(readConversations(isAside ? WORK_CHATS_ASIDE : WORK_CHATS), storeOf)),
    ];
    lines.push(row([without ?? 'nothing', ...(await half(false)), ...(isAll ? await half(true) : [])]));
  }
  return lines;
}

/** Through the database, as a search is made: both engines where a PostgreSQL is given in BENCH_POSTGRES. */
async function speed(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-recall-'));
  const places = [
    ['SQLite', join(folder, 'recall.db')],
    ['PostgreSQL', process.env['BENCH_POSTGRES']],
  ] as const;
  const lines = [row(['engine', 'R@10 / MRR of the notes', 'p50', 'p95']), row(['---', '---', '---', '---'])];
  for (const [name, location] of places) {
    if (location === undefined) continue;
    const db = await openDatabase(location);
    const recall = createRecall({ space: 'table' });
    await db.write(systemActor, async (tx) => {
      const scope = await recall.scope(tx, { tenant: '', team: '', agent: '' });
      for (const { ref, ...note } of notes) await recall.add(tx, { id: ref, scope, seat: 'table', ...note });
    });
    const spent: number[] = [];
    const ask: Ask = async (text) => {
      const started = performance.now();
      const sight = { tenant: undefined, team: undefined, agent: undefined };
      const { hits } = await db.read((q) => recall.search(q, { text, sight }));
      spent.push(performance.now() - started);
      return hits.slice(0, 20).map((hit) => hit.id);
    };
    const found = await measure(chosen, ask);
    const p95 = spent.toSorted((a, b) => a - b)[Math.floor(spent.length * 0.95)]!;
    lines.push(row([name, pair(found), `${median(spent).toFixed(2)} ms`, `${p95.toFixed(2)} ms`]));
    await db.close();
  }
  rmSync(folder, { recursive: true });
  return lines;
}

const sections = [(await quality()).join('\n'), (await ablation()).join('\n'), (await speed()).join('\n')];
const table = sections.join('\n\n');
if (args.has('--write')) {
  const page = readFileSync(PAGE, 'utf8');
  writeFileSync(
    PAGE,
    page.replace(
      /(<!-- recall-table -->\n)[^]*(\n<!-- \/recall-table -->)/,
      (_, open: string, close: string) => open + table + close,
    ),
  );
} else {
  process.stdout.write(`${table}\n`);
}
