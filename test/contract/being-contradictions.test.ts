// Two memories that contradict each other are never one. The pairs are made, not chosen: templates times ways to differ.
import { expect, it } from 'vitest';
import { sameTextKey } from '../../src/kernel/same-text.ts';
import {
  addScenes,
  allNodes,
  makeBeing,
  openBeingParts,
  patrolNow,
  sceneOf,
} from '../fixtures/being-parts.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';

type Pair = readonly [string, string];
type Swap = readonly [string, string];

const NAMES = ['Mika', 'Ren', 'Aoi', 'Jonas'];
const each = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

const STATEMENTS = [
  'is allergic to peanuts',
  'is married to a sailor from the harbour',
  'is able to swim across the bay',
  'is paid by the hour',
  'is going to sell the blue house',
];

function negations(): Pair[] {
  const ways: readonly ((subject: string, rest: string) => string)[] = [
    (who, rest) => `${who} is not ${rest}`,
    (who, rest) => `${who} isn't ${rest}`,
    (who, rest) => `It is false that ${who} is ${rest}`,
    (who, rest) => `${who} is no longer ${rest}`,
    (who, rest) => `${who} is never ${rest}`,
    (who, rest) => `Is ${who} ${rest}?`,
    (who, rest) => `${who} is ${rest}?`,
  ];
  return STATEMENTS.flatMap((statement, i) =>
    ways.map((way): Pair => {
      const who = NAMES[i % NAMES.length]!;
      return [`${who} ${statement}`, way(who, statement.replace(/^is /, ''))];
    }),
  );
}

const NUMBERS: readonly Swap[] = [
  ['5', '-5'],
  ['12', '13'],
  ['1.5', '15'],
  ['1.5', '1,5'],
  ['1,000', '1.000'],
  ['2', '2nd'],
  ['10', '10%'],
  ['7', '7k'],
  ['3', '3²'],
  ['half', 'twice'],
];
const NUMBER_TEMPLATES = [
  'The freezer of the lab is kept at # degrees',
  'The invoice for the roof was # euro in all',
  'The build needs # minutes on the old machine',
  'Room # is the one with the piano',
];

const SWAPS: readonly Swap[] = [
  ['before', 'after'],
  ['above', 'below'],
  ['with', 'without'],
  ['always', 'never'],
  ['left', 'right'],
  ['more', 'less'],
  ['all', 'some'],
  ['first', 'last'],
  ['and', 'or'],
  ['can', "can't"],
];
const SWAP_TEMPLATES = [
  'The pills are taken # lunch in the kitchen',
  'The key lies # the shelf near the door',
  'The report was sent # the figures of May',
  'The deploy goes # the review of the branch',
];

const PLACES = ['Oslo', 'Bergen', 'Turku', 'Kiel'];
const TENSES: readonly Swap[] = [
  ['sells', 'sold'],
  ['will sell', 'sells'],
  ['has sold', 'will have sold'],
  ['bought', 'would have bought'],
];

function allPairs(): Pair[] {
  const put = (templates: readonly string[], swaps: readonly Swap[]): Pair[] =>
    templates.flatMap((text) => swaps.map(([a, b]): Pair => [text.replace('#', a), text.replace('#', b)]));
  const ways = PLACES.flatMap((from) =>
    PLACES.filter((to) => to !== from).map((to): Pair => [
      `Took the train from ${from} to ${to} in May`,
      `Took the bus from ${from} to ${to} in May`,
    ]),
  );
  const back = each(PLACES.length - 1, (i): Pair => {
    const [a, b] = [PLACES[i]!, PLACES[i + 1]!];
    return [`Shipped the crates by boat from ${a} to ${b}`, `Shipped the crates by boat from ${b} to ${a}`];
  });
  const tenses = STATEMENTS.flatMap((_, i) =>
    TENSES.map(([a, b]): Pair => [
      `The ${i + 2} brothers ${a} the farm`,
      `The ${i + 2} brothers ${b} the farm`,
    ]),
  );
  const names = each(24, (i): Pair => {
    const [a, b] = [NAMES[i % 4]!, NAMES[(i + 1) % 4]!];
    return [`${a} beat ${b} at chess in round ${i}`, `${b} beat ${a} at chess in round ${i}`];
  });
  const prefixes = each(30, (i): Pair => {
    const said = `line ${i} of the plan holds`;
    return [said, [`un${said}`, `not ${said}`, `${said} not`][i % 3]!];
  });
  return [
    ...negations(),
    ...put(NUMBER_TEMPLATES, NUMBERS),
    ...put(SWAP_TEMPLATES, SWAPS),
    ...ways,
    ...back,
    ...tenses,
    ...names,
    ...prefixes,
  ];
}

it('there are two hundred pairs, and no two of their texts are the same', () => {
  const pairs = allPairs();
  expect(pairs.length).toBeGreaterThanOrEqual(200);
  for (const [a, b] of pairs) expect(sameTextKey(a), `${a} / ${b}`).not.toBe(sameTextKey(b));
});

eachEngine('memories that contradict each other', (engine) => {
  it.each(['words alone', 'vectors that cannot tell them apart'])('stay, with %s', async (how) => {
    const endpoint =
      how === 'words alone' ? undefined : await startEmbeddingEndpoint((_, dims) => each(dims, () => 1));
    const parts = openBeingParts(await freshDatabase(engine), endpoint ? { embeddingUrl: endpoint.url } : {});
    const { id } = await makeBeing(parts);
    const texts = [...new Set(allPairs().flat())];
    await addScenes(
      parts,
      id,
      texts.map((text) => sceneOf(text)),
    );
    const { stats } = await patrolNow(parts, id);
    expect(stats).not.toHaveProperty('merged');
    const living = (await allNodes(parts, id)).filter(({ status }) => status === 'active');
    expect(living.map(({ action }) => action).sort()).toEqual(texts.toSorted());
  });

  it('are told the newer first, and each keeps its own date', async () => {
    const parts = openBeingParts(await freshDatabase(engine));
    const { id } = await makeBeing(parts);
    await addScenes(parts, id, [sceneOf('Mika is allergic to peanuts', { when: ['2026-01-01'] })]);
    await patrolNow(parts, id);
    await addScenes(parts, id, [sceneOf('Mika is not allergic to peanuts', { when: ['2026-02-02'] })]);
    await patrolNow(parts, id);
    const { numbers } = await parts.recalling.find(id, 'Is Mika allergic to peanuts?');
    const nodes = new Map((await allNodes(parts, id)).map((node) => [node.number, node]));
    expect(numbers.map((number) => [nodes.get(number)!.action, nodes.get(number)!.scene.when])).toEqual([
      ['Mika is not allergic to peanuts', ['2026-02-02']],
      ['Mika is allergic to peanuts', ['2026-01-01']],
    ]);
  });

  it('what differs in how it felt or where it was is not the same either', async () => {
    const parts = openBeingParts(await freshDatabase(engine));
    const { id } = await makeBeing(parts);
    await addScenes(parts, id, [
      sceneOf('Lost the key', { feeling: 'glad', setting: 'Oslo' }),
      sceneOf('Lost the key', { feeling: 'sad', setting: 'Oslo' }),
      sceneOf('Lost the key', { setting: 'Bergen' }),
      sceneOf('lost the key.', { setting: 'oslo' }),
    ]);
    expect((await patrolNow(parts, id)).stats).toMatchObject({ nodes_created: 4, merged: 1 });
    const living = (await allNodes(parts, id)).filter(({ status }) => status === 'active');
    expect(living.map(({ feeling, scene }) => [feeling, scene.setting?.split(';')[0]]).sort()).toEqual([
      [null, 'Bergen'],
      ['glad', 'Oslo'],
      ['sad', 'oslo'],
    ]);
  });
});
