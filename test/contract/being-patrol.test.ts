import { describe, expect, it } from 'vitest';
import { mergeNodes } from '../../src/features/being/memories.ts';
import { undoMerge } from '../../src/features/being/merges.ts';
import { clustersOf, insertCluster } from '../../src/features/being/rows/clusters.ts';
import { reactivate, setCluster, setPinned, unembeddedNodes } from '../../src/features/being/rows/nodes.ts';
import { insertNote } from '../../src/features/being/rows/notes.ts';
import { lastMerges } from '../../src/features/being/rows/runs.ts';
import { newId } from '../../src/kernel/ids.ts';
import { systemPrincipal } from '../../src/kernel/principal.ts';
import {
  addScenes,
  allNodes,
  changeBeing,
  makeBeing,
  openBeingParts,
  patrolNow,
  sceneOf,
  seeBeing,
} from '../fixtures/being-parts.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';

eachEngine('a patrol without a key', (engine) => {
  const open = async (options: Parameters<typeof openBeingParts>[1] = {}) => {
    const parts = openBeingParts(await freshDatabase(engine), options);
    return { parts, ...(await makeBeing(parts)) };
  };

  it('makes clusters of what is alike, with digests', async () => {
    const { parts, id } = await open();
    const garden = [
      'Planted tomatoes in the garden',
      'Watered the garden tomatoes',
      'Weeded the garden beds',
    ];
    const music = ['Practised the piano sonata', 'Played the piano sonata for Ren', 'Tuned the old piano'];
    await addScenes(parts, id, [
      ...garden.map((action) => sceneOf(action, { themes: ['garden'] })),
      ...music.map((action) => sceneOf(action, { themes: ['piano'] })),
      sceneOf('Paid the electricity bill'),
    ]);
    const { stats } = await patrolNow(parts, id);
    expect(stats).toMatchObject({ nodes_created: 7, clusters_created: 2 });
    const clusters = await seeBeing(parts, id, clustersOf);
    expect(clusters.map(({ name }) => name).sort()).toEqual(['Business', 'Private', 'garden', 'piano']);
    expect(clusters.find(({ name }) => name === 'garden')!.digest).toContain('tomatoes');
    expect(clusters.find(({ name }) => name === 'Business')!.digest).toContain('About: garden, piano');
    await addScenes(parts, id, [sceneOf('Picked ripe tomatoes in the garden', { themes: ['garden'] })]);
    await patrolNow(parts, id);
    const picked = (await allNodes(parts, id)).find(({ action }) => action.startsWith('Picked'))!;
    expect(picked.clusterId).toBe(clusters.find(({ name }) => name === 'garden')!.id);
  });

  it('memories of two clusters are merged into the older one, and go back to their own', async () => {
    const { parts, id } = await open();
    await addScenes(parts, id, [sceneOf('Planted tomatoes'), sceneOf('Cooked the tomatoes')]);
    await patrolNow(parts, id);
    const [first, second] = await allNodes(parts, id);
    const older = first!.clusterId;
    const younger = newId();
    await changeBeing(parts, id, async (self) => {
      await insertCluster(self, { id: younger, name: 'Kitchen', parentId: older });
      await setCluster(self, [second!.id], younger);
    });
    const reached = parts.beings.reach({ who: systemPrincipal, via: 'route' }, id);
    const request = { node_ids: `${second!.id},${first!.id}`, summary: 'A summer of tomatoes' };
    expect(await mergeNodes(reached, request)).toMatch(/^Merged 2 memories into /);
    const made = (await allNodes(parts, id)).find(({ status }) => status === 'active')!;
    expect(made).toMatchObject({ action: 'A summer of tomatoes', clusterId: older });
    const [merge] = await seeBeing(parts, id, (self) => lastMerges(self, 1));
    await changeBeing(parts, id, (self) => undoMerge(self, merge!.id));
    const places = (await allNodes(parts, id)).map((node) => [node.id, node.status, node.clusterId]);
    expect(places.toSorted()).toEqual(
      [
        [first!.id, 'active', older],
        [second!.id, 'active', younger],
      ].toSorted(),
    );
  });

  it('merges what was said twice, and the merge can be undone', async () => {
    const { parts, id } = await open();
    await addScenes(parts, id, [sceneOf('Mika learned to bake sourdough bread', { themes: ['food'] })]);
    await patrolNow(parts, id);
    const again = sceneOf('mika learned  to bake sourdough bread.', {
      when: ['2026-05-01'],
      themes: ['bread'],
      importance: 0.7,
    });
    const other = sceneOf('Mika learned to bake sourdough bread', { actors: ['Ren'] });
    await addScenes(parts, id, [again, other]);
    const { stats } = await patrolNow(parts, id);
    expect(stats).toMatchObject({ nodes_created: 2, merged: 1 });
    const before = await allNodes(parts, id);
    const survivor = before.find(({ themes }) => themes.includes('bread'))!;
    expect(survivor).toMatchObject({ themes: ['bread', 'food'], importance: 0.75, status: 'active' });
    expect(survivor.scene.when).toHaveLength(2);
    expect(before.filter(({ status }) => status === 'dead')).toMatchObject([
      { reason: 'absorbed', replacedBy: survivor.id },
    ]);
    await patrolNow(parts, id);
    expect((await allNodes(parts, id)).filter(({ status }) => status === 'dead')).toHaveLength(1);
    const [merge] = await seeBeing(parts, id, (self) => lastMerges(self, 1));
    await changeBeing(parts, id, (self) => undoMerge(self, merge!.id));
    const after = await allNodes(parts, id);
    expect(after.every(({ status }) => status === 'active')).toBe(true);
    expect(after.find(({ id: each }) => each === survivor.id)).toMatchObject({
      themes: ['bread'],
      importance: 0.7,
    });
    await expect(changeBeing(parts, id, (self) => undoMerge(self, merge!.id))).rejects.toThrow(
      'cannot be undone',
    );
    await addScenes(parts, id, [sceneOf('Mika learned to bake sourdough bread!', { themes: ['third'] })]);
    await patrolNow(parts, id);
    const living = (await allNodes(parts, id)).filter(
      ({ status, scene }) => status === 'active' && scene.actors[0] === 'Mika',
    );
    // The third joins one of the two that were taken apart, and they stay two.
    expect(living).toHaveLength(2);
    await patrolNow(parts, id);
    expect((await allNodes(parts, id)).filter(({ status }) => status === 'active')).toHaveLength(3);
  });

  it('what differs in a number is not the same', async () => {
    const { parts, id } = await open();
    const actions = [12, 13].map((n) => `Fixed the login bug number ${n} of the web shop together`);
    await addScenes(
      parts,
      id,
      actions.map((action) => sceneOf(action)),
    );
    expect((await patrolNow(parts, id)).stats).not.toHaveProperty('merged');
  });

  it('lets memories fade, come to rest, and be called back', async () => {
    const { parts, id } = await open();
    await addScenes(parts, id, [
      sceneOf('A faint smell of rain', { importance: 0.06 }),
      sceneOf('The day we met', { importance: 1 }),
    ]);
    const states = async () => (await allNodes(parts, id)).map(({ status, reason }) => reason ?? status);
    for (let patrols = 0; patrols < 6; patrols++) await patrolNow(parts, id);
    expect(await states()).toEqual(['dying', 'active']);
    for (let patrols = 0; patrols < 3; patrols++) await patrolNow(parts, id);
    expect(await states()).toEqual(['decayed', 'active']);
    await patrolNow(parts, id);
    expect(await states()).toEqual(['decayed', 'active']);
    const [faint] = await allNodes(parts, id);
    await changeBeing(parts, id, (self) => reactivate(self, [faint!]));
    await patrolNow(parts, id);
    expect(await states()).toEqual(['active', 'active']);
  });

  it('what is pinned does not fade', async () => {
    const { parts, id } = await open();
    await addScenes(parts, id, [sceneOf('The code of the garden gate', { importance: 0.01 })]);
    await patrolNow(parts, id);
    const [faint] = await allNodes(parts, id);
    expect(faint!.status).toBe('dying');
    const other = await makeBeing(parts, 'Sol');
    expect(await changeBeing(parts, other.id, (self) => setPinned(self, faint!.id, true))).toBe(0);
    await changeBeing(parts, id, (self) => setPinned(self, faint!.id, true));
    for (let patrols = 0; patrols < 5; patrols++) await patrolNow(parts, id);
    expect((await allNodes(parts, id))[0]!.status).toBe('active');
  });

  it('ages the memories of its own Being only', async () => {
    const { parts, id } = await open();
    const other = await makeBeing(parts, 'Sol');
    for (const being of [id, other.id]) await addScenes(parts, being, [sceneOf('Went to the market')]);
    await patrolNow(parts, other.id);
    await patrolNow(parts, id);
    await patrolNow(parts, id);
    expect((await allNodes(parts, id))[0]!.cycles).toBe(2);
    expect((await allNodes(parts, other.id))[0]!.cycles).toBe(1);
  });

  it('two at once: one runs, the other is told', async () => {
    const { parts, id } = await open();
    await addScenes(
      parts,
      id,
      Array.from({ length: 40 }, (_, i) => sceneOf(`Step ${i} of the climb`)),
    );
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => patrolNow(parts, id)));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'busy' });
    expect(await allNodes(parts, id)).toHaveLength(40);
  });

  it('a dry run says what would happen and changes nothing', async () => {
    const { parts, id } = await open();
    await addScenes(parts, id, [sceneOf('Climbed the hill'), sceneOf('Slept in a tent')]);
    const request = {
      messages: [{ role: 'user', content: 'hi' }],
      isDry: true,
      signal: AbortSignal.timeout(10_000),
    };
    expect((await parts.patrol.trigger(id, request)).stats).toMatchObject({ nodes_created: 2 });
    expect(await allNodes(parts, id)).toEqual([]);
    expect((await patrolNow(parts, id)).stats).toMatchObject({ nodes_created: 2 });
  });

  it('a scene that cannot be read is kept for repair and does not stop the others', async () => {
    const { parts, id } = await open();
    await changeBeing(parts, id, (self) =>
      insertNote(self, { id: newId(), kind: 'scene', content: '{"half' }),
    );
    await addScenes(parts, id, [sceneOf('Found a coin')]);
    expect((await patrolNow(parts, id)).stats).toMatchObject({ nodes_created: 1, scenes_failed: 1 });
    expect((await patrolNow(parts, id)).stats).not.toHaveProperty('scenes_failed');
  });

  it('embeds through the endpoint of the hub, finds by meaning, and catches up when it was away', async () => {
    const endpoint = await startEmbeddingEndpoint();
    const { parts, id } = await open({ embeddingUrl: endpoint.url });
    await addScenes(parts, id, [sceneOf('Sailed across the bay'), sceneOf('Cooked a mushroom soup')]);
    await patrolNow(parts, id);
    const found = await parts.recalling.find(id, '[2026-04-14] Sailed across the bay');
    expect(found.method).toBe('vector');
    const [first] = await allNodes(parts, id);
    expect(found.numbers[0]).toBe(first!.number);
    endpoint.behave('error');
    await addScenes(parts, id, [sceneOf('Found an amber necklace')]);
    await patrolNow(parts, id);
    const lacking = (model: string) => seeBeing(parts, id, (self) => unembeddedNodes(self, model, 10));
    const model = (await parts.recalling.model())!;
    expect((await lacking(model)).map(({ action }) => action)).toEqual(['Found an amber necklace']);
    endpoint.behave('well');
    await expect
      .poll(async () => (await patrolNow(parts, id), lacking(model)), { interval: 500 })
      .toEqual([]);
  });
});

describe('formulas', () => {
  it.each([
    [1, 90],
    [0.8, 84],
    [0.7, 80],
    [0.5, 70],
    [0.3, 54],
    [0.1, 21],
  ])('importance %d fades after %i patrols', async (importance, patrols) => {
    const { hasFaded } = await import('../../src/features/being/rules.ts');
    expect(hasFaded({ importance, cycles: patrols - 1, reactivations: 0 })).toBe(false);
    expect(hasFaded({ importance, cycles: patrols, reactivations: 0 })).toBe(true);
    expect(hasFaded({ importance, cycles: patrols, reactivations: 1 })).toBe(false);
  });
});
