import { describe, expect, it } from 'vitest';
import { createMemoryIndex } from './memory-index.ts';
import { recall } from './recall.ts';

function indexOf(items: Readonly<Record<string, string>>, more: { title?: string; episode?: string } = {}) {
  const index = createMemoryIndex();
  for (const [id, content] of Object.entries(items)) index.add({ id, title: more.title ?? '', content, episode: more.episode ?? id });
  return index.postings();
}

const ids = async (question: string, postings: ReturnType<typeof indexOf>): Promise<string[]> =>
  (await recall(question, postings)).map((hit) => hit.id);

describe('recall', () => {
  it('answers whenever any word is known, and nothing only when none is', async () => {
    const postings = indexOf({ a: 'the heating failed near Lyon', b: 'coffee is excellent' });
    expect(await ids('did the heating explode yesterday in Paris', postings)).toEqual(['a']);
    expect(await ids('quantum chromodynamics', postings)).toEqual([]);
  });

  it('prefers rare words to common ones', async () => {
    const postings = indexOf({ a: 'the server is down', b: 'the server is fine', c: 'the server hums', d: 'the zebra is down' });
    expect((await ids('server zebra', postings))[0]).toBe('d');
  });

  it('finds an answer that shares no word with the question through the question before it', async () => {
    const index = createMemoryIndex();
    const talk = ['Good morning!', 'What is the name of your dog?', 'Biscuit, after my favourite snack', 'How lovely', 'Bye now'];
    talk.forEach((content, i) => index.add({ id: String(i), title: '', content, episode: 'talk' }));
    expect((await ids('name of the dog', index.postings())).slice(0, 2)).toContain('2');
  });

  it('prefers what the named person said, and tells a person from a month', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'june', title: 'June, 3 May 2024', content: 'I bought a boat', tags: ['session_1'] });
    index.add({ id: 'tom', title: 'Tom, 3 June 2024', content: 'I bought a boat', tags: ['session_2'] });
    expect((await ids('What did June buy?', index.postings()))[0]).toBe('june');
    expect((await ids('What did Tom buy in June?', index.postings()))[0]).toBe('tom');
  });

  it('finds everything somebody said by their name alone, however it is typed', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'a', title: 'Caroline, 3 May 2024', content: 'I bought a boat', tags: ['session_1'] });
    index.add({ id: 'b', title: 'Tom, 3 May 2024', content: 'I sold mine', tags: ['session_2'] });
    for (const question of ['caroline', 'Caroline', "CAROLINE's"]) expect(await ids(question, index.postings())).toEqual(['a']);
  });

  it('answers with a neighbour that shares no word only inside a conversation or a named episode', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'db', title: 'Database', content: 'We use Postgres' });
    index.add({ id: 'lunch', title: 'Lunch', content: 'The canteen closes at two' });
    expect(await ids('postgres', index.postings())).toEqual(['db']);
  });

  it('prefers the asked date', async () => {
    const index = createMemoryIndex();
    for (const month of ['May', 'June', 'July'])
      index.add({ id: month, title: `Ann, 4 ${month} 2023`, content: 'I went hiking', tags: [`session-${month}1`] });
    expect((await ids('Where did Ann hike in July 2023?', index.postings()))[0]).toBe('July');
  });

  it('explains a score as the sum of its parts', async () => {
    const [hit] = await recall('zebra', indexOf({ a: 'a zebra' }));
    expect(Object.values(hit!.parts).reduce((sum, points) => sum + points, 0)).toBeCloseTo(hit!.score);
    expect(hit!.parts.item).toBeGreaterThan(0);
  });

  it('bounds what a prior can do', async () => {
    const postings = indexOf({ good: 'the zebra eats grass', bad: 'the zebra' });
    const hits = await recall('zebra eating grass', postings, { prior: (number) => (number === 0 ? -1e9 : 1e9) });
    expect(hits[0]!.id).toBe('good');
    for (const hit of hits) expect(Math.abs(hit.parts.prior ?? 0)).toBeLessThanOrEqual(0.2);
  });

  it('shows only the scopes it was given', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'mine', title: '', content: 'zebra' }, 1);
    index.add({ id: 'theirs', title: '', content: 'zebra' }, 2);
    expect((await recall('zebra', index.postings(new Set([1])))).map((hit) => hit.id)).toEqual(['mine']);
  });
});
