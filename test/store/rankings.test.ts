import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFacts, saveFact } from '../../src/features/memory/facts.ts';
import { createMemoryDesk } from '../../src/features/memory/memory.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { createMeaning, embeddingSettings } from '../../src/recall/recall.ts';
import { createActing } from '../../src/store/calls.ts';
import { openDatabase } from '../../src/store/open.ts';
import { CODING_SEEN, readCoding } from '../fixtures/coding.ts';
import { LONG_CONVERSATIONS, readConversations, type Turn, WORK_CHATS } from '../fixtures/conversations.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { readAllNotes, SET_ASIDE } from '../fixtures/notes.ts';

const who = localPrincipal('ada');
const { notes, questions } = readAllNotes();
const coding = readCoding();
const ofCoding = coding.questions.filter(({ project }) =>
  (CODING_SEEN as readonly string[]).includes(project),
);

const SETS = [
  ['notes', notes, questions.filter(({ team }) => !SET_ASIDE.includes(team))],
  ['coding', [...notes, ...coding.notes], ofCoding],
  ...readConversations([...WORK_CHATS, LONG_CONVERSATIONS[0]]).map(
    ({ name, turns, questions: asked }) => [name, turns, asked] as const,
  ),
] as const;

/** What makes a search faster must not change what it answers: these are the first ten, each with its score. */
it.each(SETS)('%s are ranked as they were', async (name, turns, asked) => {
  const search = await storeOf(turns);
  const lines: string[] = [];
  for (const { text } of asked) lines.push(`${text}\n  ${(await search(text)).join(' ')}`);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(`../fixtures/rankings/${name}.txt`);
});

/** Most words are folded into the index, the last ones wait: both ways of finding are in it. */
async function storeOf(turns: readonly Turn[]): Promise<(query: string) => Promise<string[]>> {
  const db = await openDatabase(join(freshFolder(), 'memory.db'));
  const facts = createFacts();
  const refs = new Map<string, string>();
  await db.write({ id: who.id, asserted: false }, async (tx) => {
    for (const { ref, ...turn } of turns) {
      const { fact } = await saveFact(facts.in(tx, who), { ...turn, tags: [...turn.tags], source: 'test' });
      refs.set(fact.id, ref);
    }
  });
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  const desk = createMemoryDesk({ db, facts, meaning, via: 'tool', acting: createActing(db) });
  return async (query) =>
    (await desk.search(who, { query })).results.map(({ id, score }) => `${refs.get(id)}=${score}`);
}
