import { describe, expect, it } from 'vitest';
import {
  ANNOTATED_CONVERSATIONS,
  CONVERSATIONS,
  HELD_OUT_CONVERSATIONS,
  judge,
  LONG_CONVERSATIONS,
  readConversations,
} from '../../test/fixtures/conversations.ts';
import type { Conversation, Quality } from '../../test/fixtures/conversations.ts';
import { readNotes } from '../../test/fixtures/notes.ts';
import { createMemoryIndex } from './memory-index.ts';
import { findItems } from './find.ts';

const conversations = readConversations(CONVERSATIONS);
const long = readConversations(LONG_CONVERSATIONS);
const annotated = readConversations(ANNOTATED_CONVERSATIONS);
const heldOut = readConversations(HELD_OUT_CONVERSATIONS);
const paraphrased = readConversations(ANNOTATED_CONVERSATIONS, 'paraphrases');

function store(...stored: readonly Conversation[]): (question: string) => Promise<string[]> {
  const index = createMemoryIndex();
  for (const { turns } of stored) for (const { ref, ...turn } of turns) index.add({ id: ref, ...turn });
  const postings = index.postings();
  return async (question) => (await findItems(question, postings)).ranked.slice(0, 20).map((hit) => hit.item.id);
}

function mean(qualities: readonly Quality[], pick: (quality: Quality) => number): number {
  return qualities.reduce((sum, quality) => sum + pick(quality), 0) / qualities.length;
}

/** Just below what is reached today, so that a change for the worse is seen. A question more or less is one to two points. */
describe('retrieval quality without a model', () => {
  it.each(conversations)('finds the evidence in $name', async (conversation) => {
    const quality = await judge(conversation.questions, store(conversation));
    expect(quality).toMatchObject({ empty: 0 });
    expect(quality.recall).toBeGreaterThanOrEqual(0.9);
    expect(quality.mrr).toBeGreaterThanOrEqual(0.72);
  });

  it('finds at least 97 of 100 pieces of evidence over all conversations, mostly on top', async () => {
    const qualities = await Promise.all(conversations.map((one) => judge(one.questions, store(one))));
    expect(mean(qualities, (quality) => quality.recall)).toBeGreaterThanOrEqual(0.97);
    expect(mean(qualities, (quality) => quality.mrr)).toBeGreaterThanOrEqual(0.79);
  });

  it.each(long)('finds the evidence in the long and winding $name', async (conversation) => {
    const quality = await judge(conversation.questions, store(conversation));
    expect(quality).toMatchObject({ empty: 0 });
    expect(quality.recall).toBeGreaterThanOrEqual(0.8);
    expect(quality.mrr).toBeGreaterThanOrEqual(0.62);
  });

  it('finds the evidence of a thousand questions about six friendships', async () => {
    const qualities = await Promise.all(annotated.map((one) => judge(one.questions, store(one))));
    expect(mean(qualities, (quality) => quality.empty)).toBe(0);
    expect(mean(qualities, (quality) => quality.recall)).toBeGreaterThanOrEqual(0.83);
    expect(mean(qualities, (quality) => quality.mrr)).toBeGreaterThanOrEqual(0.7);
  });

  it('finds it also in conversations by which no weight was chosen', async () => {
    const qualities = await Promise.all(heldOut.map((one) => judge(one.questions, store(one))));
    expect(mean(qualities, (quality) => quality.empty)).toBe(0);
    expect(mean(qualities, (quality) => quality.recall)).toBeGreaterThanOrEqual(0.8);
    expect(mean(qualities, (quality) => quality.mrr)).toBeGreaterThanOrEqual(0.65);
  });

  it('finds most of it also when asked from memory, in other words', async () => {
    const qualities = await Promise.all(paraphrased.map((one) => judge(one.questions, store(one))));
    expect(mean(qualities, (quality) => quality.empty)).toBe(0);
    expect(mean(qualities, (quality) => quality.recall)).toBeGreaterThanOrEqual(0.67);
    expect(mean(qualities, (quality) => quality.mrr)).toBeGreaterThanOrEqual(0.47);
  });

  it('finds what a software team wrote down', async () => {
    const notes = readNotes();
    const quality = await judge(notes.questions, store(notes));
    expect(quality).toMatchObject({ empty: 0 });
    expect(quality.recall).toBeGreaterThanOrEqual(0.93);
    expect(quality.mrr).toBeGreaterThanOrEqual(0.81);
  });

  it('stays within two points when all conversations share one store', async () => {
    const all = [...long, ...annotated, ...heldOut];
    const together = store(...conversations, ...all);
    const apart = await Promise.all(all.map((one) => judge(one.questions, store(one))));
    const pooled = await Promise.all(all.map((one) => judge(one.questions, together)));
    for (const pick of [(quality: Quality) => quality.recall, (quality: Quality) => quality.mrr])
      expect(mean(pooled, pick)).toBeGreaterThanOrEqual(mean(apart, pick) - 0.02);
  });
});
