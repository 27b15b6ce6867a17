import { describe, expect, it } from 'vitest';
import { createMemoryIndex } from './memory-index.ts';
import { findItems, type FindOptions } from './find.ts';
import { newerFirst } from './newer-first.ts';
import type { Postings } from './postings.ts';
import { createCards } from './recall.ts';

function indexOf(items: Readonly<Record<string, string>>, more: { title?: string; episode?: string } = {}) {
  const index = createMemoryIndex();
  for (const [id, content] of Object.entries(items))
    index.add({ id, title: more.title ?? '', content, episode: more.episode ?? id });
  return index.postings();
}

const recall = async (question: string, postings: Postings, options: FindOptions = {}) =>
  (await findItems(question, postings, options)).ranked.map(({ item, ...rest }) => ({
    id: item.id,
    ...rest,
  }));

const ids = async (question: string, postings: Postings): Promise<string[]> =>
  (await recall(question, postings)).map((hit) => hit.id);

describe('recall', () => {
  it('answers whenever any word is known, and nothing only when none is', async () => {
    const postings = indexOf({ a: 'the heating failed near Lyon', b: 'coffee is excellent' });
    expect(await ids('did the heating explode yesterday in Paris', postings)).toEqual(['a']);
    expect(await ids('quantum chromodynamics', postings)).toEqual([]);
  });

  it('prefers rare words to common ones', async () => {
    const postings = indexOf({
      a: 'the server is down',
      b: 'the server is fine',
      c: 'the server hums',
      d: 'the zebra is down',
    });
    expect((await ids('server zebra', postings))[0]).toBe('d');
  });

  it('finds an answer that shares no word with the question through the question before it', async () => {
    const index = createMemoryIndex();
    const talk = [
      'Good morning!',
      'What is the name of your dog?',
      'Biscuit, after my favourite snack',
      'How lovely',
      'Bye now',
    ];
    talk.forEach((content, i) =>
      index.add({
        id: String(i),
        title: i % 2 ? 'Ann' : 'Tom',
        content: `${i % 2 ? 'Ann' : 'Tom'}: ${content}`,
        episode: 'talk',
      }),
    );
    expect((await ids('name of the dog', index.postings())).slice(0, 2)).toContain('2');
  });

  it('prefers the reply to the sentence that asked', async () => {
    const index = createMemoryIndex();
    const talk = [
      'My turtle eats salad. How is your brother?',
      'He moved to Lisbon and opened a bar there with friends.',
      'Lovely! And what do you feed your turtle?',
      'Mostly dandelions from the garden behind our house.',
    ];
    talk.forEach((content, i) =>
      index.add({
        id: String(i),
        title: `${i % 2 ? 'Ann' : 'Tom'}, 3 May 2024`,
        content,
        tags: ['session_1'],
      }),
    );
    expect((await ids('What does Ann feed her turtle?', index.postings()))[0]).toBe('3');
  });

  it('prefers words that stand together as they do in the question', async () => {
    const postings = indexOf({
      apart: 'support came late, the group had left',
      phrase: 'came to the support group, it had biscuits',
    });
    expect((await ids('support group', postings))[0]).toBe('phrase');
  });

  it('does not prefer a long note to a short one that says it', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'short', title: 'Staging port', content: '8081' });
    index.add({
      id: 'long',
      title: 'Port',
      content: `A staging area for ${'boats and ships and ferries '.repeat(8)}in the old port`,
    });
    expect((await ids('staging port', index.postings()))[0]).toBe('short');
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
    index.add({ id: 'a', title: 'Odile, 3 May 2024', content: 'I bought a boat', tags: ['session_1'] });
    index.add({ id: 'b', title: 'Tom, 3 May 2024', content: 'I sold mine', tags: ['session_2'] });
    for (const question of ['odile', 'Odile', "ODILE's"])
      expect(await ids(question, index.postings())).toEqual(['a']);
  });

  it('finds a note about somebody who also speaks elsewhere', async () => {
    const index = createMemoryIndex();
    for (let i = 0; i < 20; i++)
      index.add({
        id: `said${i}`,
        title: 'Nora, 3 May 2024',
        content: i % 5 === 0 ? 'I drank tea' : 'It rains',
        tags: ['session_1'],
      });
    index.add({ id: 'note', title: 'Nora', content: "Nora's favourite tea is Earl Grey" });
    expect((await ids('What is the favourite tea of Nora?', index.postings()))[0]).toBe('note');
    expect(await ids('nora', index.postings())).toContain('note');
  });

  it('ranks a conversation in a shared store as it would alone', async () => {
    const alone = createMemoryIndex();
    const shared = createMemoryIndex();
    const talk = [
      'We went to the zoo with Kim',
      'Kim fed the zebra',
      'Then it rained',
      'I liked the zebra most',
      'Kim slept in the bus',
    ];
    talk.forEach((content, i) => {
      for (const index of [alone, shared])
        index.add({ id: `nora${i}`, title: 'Nora, 3 May 2024', content, tags: ['session_1'] });
    });
    for (let i = 0; i < 200; i++)
      shared.add({
        id: `tom${i}`,
        title: 'Tom, 5 May 2024',
        content: `The zebra number ${i} is not here`,
        tags: [`session_${Math.floor(i / 20)}`],
      });
    const question = 'What did Nora like about Kim and the zebra?';
    const [here, there] = [
      await ids(question, alone.postings()),
      (await ids(question, shared.postings())).slice(0, 5),
    ];
    expect(there[0]).toBe(here[0]);
    expect(there.toSorted()).toEqual(here.toSorted());
  });

  it('looks for words of the same beginning when nobody used the word itself', async () => {
    const postings = indexOf({ a: 'the replica lags behind', b: 'the server hums', c: 'tea is ready' });
    expect(await ids('why is replicating slow', postings)).toEqual(['a']);
  });

  it('answers with what the named person said when hardly a word of the question is known', async () => {
    const index = createMemoryIndex();
    for (let i = 0; i < 20; i++)
      index.add({
        id: `ann${i}`,
        title: 'Ann, 4 May 2023',
        content: `I saw bird ${i}`,
        tags: [`session_${i}`],
      });
    index.add({ id: 'tom', title: 'Tom, 5 May 2023', content: 'My zither is broken', tags: ['session_99'] });
    expect((await ids('Does Ann play the zither?', index.postings())).length).toBeGreaterThanOrEqual(10);
  });

  it('answers with a neighbour that shares no word only inside a conversation', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'db', title: 'Database', content: 'We use Postgres' });
    index.add({ id: 'lunch', title: 'Lunch', content: 'The canteen closes at two' });
    expect(await ids('postgres', index.postings())).toEqual(['db']);
  });

  it('prefers the asked date', async () => {
    const index = createMemoryIndex();
    for (const month of ['May', 'June', 'July'])
      index.add({
        id: month,
        title: `Ann, 4 ${month} 2023`,
        content: 'I went hiking',
        tags: [`session-${month}1`],
      });
    expect((await ids('Where did Ann hike in July 2023?', index.postings()))[0]).toBe('July');
  });

  it('explains a score as the sum of its parts', async () => {
    const [hit] = await recall('zebra', indexOf({ a: 'a zebra' }));
    expect(Object.values(hit!.parts).reduce((sum, points) => sum + points, 0)).toBeCloseTo(hit!.score);
    expect(hit!.parts.item).toBeGreaterThan(0);
  });

  it('bounds what a prior can do', async () => {
    const postings = indexOf({ good: 'the zebra eats grass', bad: 'the zebra' });
    const hits = await recall('zebra eating grass', postings, {
      prior: (number) => (number === 0 ? -1e9 : 1e9),
    });
    expect(hits[0]!.id).toBe('good');
    for (const hit of hits) expect(Math.abs(hit.parts.prior ?? 0)).toBeLessThanOrEqual(0.2);
  });

  it('shows only the scopes it was given', async () => {
    const index = createMemoryIndex();
    index.add({ id: 'mine', title: '', content: 'zebra' }, 1);
    index.add({ id: 'theirs', title: '', content: 'zebra' }, 2);
    expect((await recall('zebra', index.postings(new Set([1])))).map((hit) => hit.id)).toEqual(['mine']);
  });

  it('finds a note by the label it begins with', async () => {
    const index = createMemoryIndex();
    const notes = {
      coffee: 'Coffee: oat flat white, no sugar',
      car: 'Car: blue Skoda, parked on level two',
      short: 'Prefers short answers',
      pin: '密码: 8421',
    };
    for (const [id, content] of Object.entries(notes)) index.add({ id, title: '', content });
    expect((await ids('What coffee should I order?', index.postings()))[0]).toBe('coffee');
    expect((await ids('Which car do I drive?', index.postings()))[0]).toBe('car');
    expect((await ids('密码是多少', index.postings()))[0]).toBe('pin');
  });

  it('does not take an everyday word of a question for somebody', async () => {
    const index = createMemoryIndex();
    index.add({
      id: 'third',
      title: 'Deploy, 3 May 2024',
      content: 'All went well, and there was pizza and cake for everybody afterwards',
    });
    index.add({ id: 'fourth', title: 'Deploy, 4 May 2024', content: 'Broken again' });
    index.add({ id: 'howto', title: 'How to deploy', content: 'Run make deploy on the bastion' });
    expect((await ids('how do we deploy', index.postings()))[0]).toBe('howto');
    expect((await ids('Deploy procedure?', index.postings()))[0]).toBe('howto');
  });

  it.each([
    ['Will', 'What did Will adopt?'],
    ['Don', 'What did Don adopt?'],
    ['May', 'What did May adopt?'],
  ])('knows %s although it is an ordinary word, too', async (name, question) => {
    const index = createMemoryIndex();
    index.add({
      id: 'other',
      title: 'Sue, 4 April 2024',
      content: 'I adopted a puppy, I always wanted one, and it sleeps all day',
      tags: ['session_1'],
    });
    index.add({
      id: 'own',
      title: `${name}, 4 April 2024`,
      content: 'I adopted a kitten and a parrot',
      tags: ['session_1'],
    });
    expect((await ids(question, index.postings()))[0]).toBe('own');
  });

  it('knows whom a question means that is typed in lower case but for "I" or a weekday', async () => {
    const index = createMemoryIndex();
    index.add({
      id: 'tom',
      title: 'Tom, 4 April 2024',
      content: 'I painted the fence, the door and the whole garage',
      tags: ['session_1'],
    });
    index.add({ id: 'mel', title: 'Marit, 4 April 2024', content: 'I painted a lake', tags: ['session_1'] });
    for (const question of ['what did marit paint when I was away', 'what did marit paint on Monday'])
      expect((await ids(question, index.postings()))[0]).toBe('mel');
  });

  it('finds a date that is written as one', async () => {
    const postings = indexOf({
      chat: 'We talked with the vendor about the certificate and how it expires some day',
      date: 'The TLS certificate expires on 2025-03-01.',
      ...Object.fromEntries(
        Array.from({ length: 20 }, (_, i) => [`other${i}`, `the server number ${i} hums in its rack`]),
      ),
    });
    expect((await ids('When does the certificate expire?', postings))[0]).toBe('date');
  });

  it('counts however often a word is written', async () => {
    expect(await ids('banana', indexOf({ a: 'banana '.repeat(65_536), b: 'tea' }))).toEqual(['a']);
  });

  it('takes no opinion for one that is not a number', async () => {
    const [hit] = await recall('zebra', indexOf({ a: 'a zebra' }), { prior: () => Number.NaN });
    expect(hit!.score).toBeGreaterThan(0);
  });

  it('prefers what a note says first, and its title most of all', async () => {
    const filler = 'and then a good deal more about other matters that nobody asked for '.repeat(3);
    const index = createMemoryIndex();
    index.add({ id: 'late', title: 'Release', content: `${filler} rollback ${filler}` });
    index.add({ id: 'early', title: 'Release', content: `rollback ${filler} ${filler}` });
    index.add({ id: 'title', title: 'Rollback', content: `${filler} ${filler} release` });
    expect(await ids('rollback', index.postings())).toEqual(['title', 'early', 'late']);
  });

  it('lets a note catch up that is like the best hits, but not pass them', async () => {
    const postings = indexOf({
      best: 'rotate the signing key: hsm ceremony, two officers, quorum, escrow sheet',
      second: 'signing key backup: hsm ceremony, quorum, officers and the escrow sheet',
      third: 'the signing key lives in the hsm; quorum of officers, escrow sheet',
      alike: 'hsm ceremony with a quorum of officers and an escrow sheet; who rotates the duty',
      other: 'rotate the tyres of the van every ten thousand kilometres before winter',
    });
    const hits = await recall('how do I rotate the signing key', postings);
    expect(hits[3]).toMatchObject({ id: 'alike', parts: { company: expect.any(Number) as number } });
    const without = await recall('how do I rotate the signing key', postings, { without: 'company' });
    expect(without[3]!.id).toBe('other');
    expect(hits.slice(0, 3)).toEqual(without.slice(0, 3));
  });

  it('does not take notes under one heading for updates of each other', async () => {
    const index = createMemoryIndex();
    const talk = ['ports', 'logs', 'quotas', 'mirrors', 'timeouts'];
    for (const [i, topic] of talk.entries())
      index.add({
        id: String(i),
        episode: String(i),
        title: 'Build farm questions',
        content: `${i === 0 ? 'farm mirrors: ' : ''}${topic} of the farm are set elsewhere now`,
      });
    const { ranked } = await findItems('mirrors of the build farm', index.postings());
    expect(
      newerFirst(ranked)
        .map(({ item }) => item.id)
        .slice(0, 2),
    ).toEqual(['3', '0']);
  });

  it('ranks notes and turns of one store fairly', async () => {
    const index = createMemoryIndex();
    const talk = [
      'The cat broke the blue vase',
      'Oh no, which vase?',
      'The one from Porto',
      'Buy a new one',
      'I will on Saturday',
    ];
    talk.forEach((content, i) =>
      index.add({
        id: `turn${i}`,
        title: `${i % 2 ? 'Ann' : 'Tom'}, 3 May 2024`,
        content,
        tags: ['session_1'],
      }),
    );
    index.add({ id: 'port', title: 'Staging port', content: 'The staging database listens on 9090' });
    index.add({ id: 'vase', title: 'Fixture', content: 'The vase in the demo scene has 4,000 triangles' });
    expect((await ids('which port does the staging database use', index.postings()))[0]).toBe('port');
    expect((await ids('What did the cat break?', index.postings()))[0]).toBe('turn0');
  });
});

describe('cards', () => {
  const card = (id: string, name: string, about: string) =>
    ({ id, name, about, group: '', parameters: '', explained: '' }) as const;
  const cards = createCards([
    ...Array.from({ length: 300 }, (_, i) => card(`tool${i}`, `tool ${i}`, `Does thing number ${i}`)),
    card('pr', 'create pull request', 'Opens a pull request from a branch'),
    card('rm', 'erase file', 'Takes a file off the disk'),
  ]);

  it('are found without a database, and say why', () => {
    const [first] = cards.search('open a pull request');
    expect(first).toMatchObject({ id: 'pr', why: 'has open, pull, request; pull, request in the title' });
    expect(cards.search('thing number', (id) => id === 'tool7').map(({ id }) => id)).toEqual(['tool7']);
    expect(cards.search('')).toEqual([]);
  });

  it('are found by another verb for the same', () => {
    expect(cards.search('delete a file')[0]).toMatchObject({
      id: 'rm',
      why: 'has file; in the title; has a word like delete',
    });
  });
});
