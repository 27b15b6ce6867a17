import { expect, it } from 'vitest';
import type { SearchAnswer } from '../../src/features/memory/fact.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { freshDesk } from '../fixtures/memory-host.ts';

const who = localPrincipal('seat');
const titles = ({ results }: SearchAnswer): string[] => results.map((hit) => `${hit.kind} ${hit.title}`);

eachEngine('what is saved can be found', (engine) => {
  it('finds procedures by the same search, newest version only, and filters by kind', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    await desk.save(who, { title: 'Deploy window', content: 'We deploy on Tuesdays' });
    await desk.save(who, { procedureName: 'deploy', content: 'Run make ship and watch the canary' });
    const second = await desk.save(who, {
      procedureName: 'deploy',
      content: 'Run make release and watch the canary',
    });
    const both = await desk.search(who, { query: 'how do we deploy' });
    expect(titles(both).toSorted()).toEqual(['fact Deploy window', 'procedure deploy']);
    expect(both.results.find((hit) => hit.kind === 'procedure')).toMatchObject({
      id: second.procedure!.id,
      version: 2,
      content: 'Run make release and watch the canary',
    });
    expect(titles(await desk.search(who, { query: 'deploy', kind: 'procedure' }))).toEqual([
      'procedure deploy',
    ]);
    expect(titles(await desk.search(who, { query: 'deploy', kind: 'fact' }))).toEqual(['fact Deploy window']);
    expect(titles(await desk.search(who, { query: 'ship', kind: 'procedure' }))).toEqual([]);
  });

  it('finds the version before when the newest is forgotten, and none when all are', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const first = await desk.save(who, {
      procedureName: 'rotate keys',
      content: 'Ask the zebra for the old vault',
    });
    const second = await desk.save(who, { procedureName: 'rotate keys', content: 'Use the new vault' });
    await desk.forget(who, second.procedure!.id);
    expect((await desk.search(who, { query: 'zebra vault' })).results).toMatchObject([
      { id: first.procedure!.id, version: 1 },
    ]);
    await desk.forget(who, first.procedure!.id);
    expect((await desk.search(who, { query: 'zebra vault' })).results).toEqual([]);
  });

  it('shows a procedure to whom its scope shows it', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const red = localPrincipal('red', { team: 'red' });
    const blue = localPrincipal('blue', { team: 'blue' });
    await desk.save(red, { procedureName: 'unlock', content: 'Turn the key twice' });
    expect((await desk.search(red, { query: 'key' })).results).toHaveLength(1);
    expect((await desk.search(blue, { query: 'key' })).results).toEqual([]);
  });

  it('says in words why a hit was found, and in numbers when asked', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    await desk.save(who, { title: 'Staging port', content: 'The database of staging listens on 9090' });
    const plain = await desk.search(who, { query: 'which port does staging use?' });
    expect(plain.results[0]!.why).toBe('has port, staging; in the title; words stand together as asked');
    const explained = await desk.search(who, { query: 'which port does staging use?', explain: true });
    expect(explained.results[0]).toMatchObject({
      why: { item: expect.any(Number) },
      reason: plain.results[0]!.why,
    });
  });

  it('says when nothing saved is about the question, and shows the nearest all the same', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    for (let i = 0; i < 30; i++)
      await desk.save(who, {
        title: `Server ${i}`,
        content: `The server number ${i} stands in rack ${i % 5}`,
      });
    await desk.save(who, { title: 'Staging port', content: 'The staging database listens on port 9090' });
    expect(await desk.search(who, { query: 'which port does the staging database listen on' })).toMatchObject(
      { confident: true },
    );
    const unsure = await desk.search(who, {
      query: 'who watered the orchids in the server room while Hugo was away',
    });
    expect(unsure).toMatchObject({ confident: false, note: expect.stringContaining('check') });
    expect(unsure.results.length).toBeGreaterThan(0);
  });

  it('offers near-duplicates on a save, with what differs', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const text = (port: number): string =>
      `The staging database of the billing service listens on port ${port} behind the old bastion host`;
    const first = await desk.save(who, { title: 'Billing database', content: text(9090) });
    const second = await desk.save(who, { title: 'Billing database', content: text(9191) });
    expect(second).toMatchObject({
      similar: [first.fact!.id],
      nearDuplicates: [
        { id: first.fact!.id, title: 'Billing database', onlyHere: ['9191'], onlyThere: ['9090'] },
      ],
    });
    const repeated = await desk.save(who, {
      title: 'Billing database',
      content: text(9292),
      idempotencyKey: 'k',
    });
    expect(repeated.nearDuplicates).toHaveLength(1);
    expect(
      await desk.save(who, { title: 'Billing database', content: text(9292), idempotencyKey: 'k' }),
    ).toEqual(repeated);
  });

  it('ranks the current fact above the one it updates, linked or not', async () => {
    const desk = freshDesk(await freshDatabase(engine));
    const text = (port: number): string =>
      `The staging database of the billing service listens on port ${port} behind the bastion`;
    await desk.save(who, { title: 'Billing database', content: text(9090) });
    await desk.save(who, { title: 'Billing database', content: text(9191) });
    await desk.save(who, { title: 'Report interval', content: 'Devices report every 10 minutes' });
    await desk.save(who, {
      title: 'Report interval changed',
      content: 'Devices now report every 15 minutes to save battery',
    });
    const first = async (query: string): Promise<string> =>
      (await desk.search(who, { query })).results[0]!.content;
    expect(await first('billing database port')).toBe(text(9191));
    expect(await first('report interval of devices')).toContain('15 minutes');
  });
});
