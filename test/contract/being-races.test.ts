import { expect, it } from 'vitest';
import { openBeingHost, scene } from '../fixtures/being-host.ts';
import { type Engine, eachEngine } from '../fixtures/databases.ts';

const SCENES = ['alpha apple walk', 'beta banana run'];

async function open(engine: Engine) {
  const host = await openBeingHost(engine);
  const being = await host.create('Luna');
  const call = (tool: string, args: object) => host.call(being, tool, args);
  const remember = async (actions: readonly string[]) => {
    await call('update_notes', { scenes: actions.map((action) => scene(action)) });
    await call('trigger_patrol', { messages: [] });
    const { text } = await call('search_memory', { query: actions.join(' '), limit: 30 });
    return [...text.matchAll(/\[([0-9a-f-]{36})\]/g)].map((match) => match[1]!);
  };
  return { host, being, call, remember };
}

eachEngine('callers of one Being at once', (engine) => {
  it('add to one document, and nothing is lost', async () => {
    const { call } = await open(engine);
    const lines = Array.from({ length: 10 }, (_, i) => `line ${i}.`);
    const entry = { target: 'knowledge', key: 'k' };
    await Promise.all(lines.map((content) => call('update_memory', { ...entry, action: 'append', content })));
    const { value } = await call('update_memory', { ...entry, action: 'get' });
    expect(value.entries[0].content.split('\n\n').toSorted()).toEqual(lines);
  });

  it('merge the same memories once', async () => {
    const { host, being, call, remember } = await open(engine);
    const ids = await remember(SCENES);
    expect(ids).toHaveLength(2);
    const merges = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        call('merge_nodes', {
          node_ids: (i % 2 === 0 ? ids : ids.toReversed()).join(','),
          summary: `merged ${i}`,
        }),
      ),
    );
    expect(merges.filter(({ isError }) => !isError)).toHaveLength(1);
    for (const { text } of merges.filter(({ isError }) => isError))
      expect(text).toContain('was merged before, into');
    expect((await host.rest('GET', `/v1/beings/${being.id}/merges`)).body.merges).toHaveLength(1);
  });

  it('open a session, and one of them is told of a message', async () => {
    const { host, being, call } = await open(engine);
    const mika = await host.create('Mika');
    const mail = { target: 'party_message', action: 'append', to: 'Luna', content: 'Dinner at eight.' };
    expect((await host.call(mika, 'update_memory', mail)).isError).toBe(false);
    const contexts = await Promise.all(Array.from({ length: 6 }, () => call('get_context', {})));
    expect(contexts.filter(({ value }) => value.snapshot.includes('Dinner at eight.'))).toHaveLength(1);
    const inbox = await host.call(being, 'update_memory', { target: 'party_message', action: 'get' });
    expect(inbox.value.messages).toMatchObject([{ content: 'Dinner at eight.', read: true }]);
  });

  it('bring ten scenes together, and one of them starts the patrol', async () => {
    const { call } = await open(engine);
    const noted = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        call('update_notes', { scenes: [scene(`event ${i} of word${i}`)] }),
      ),
    );
    expect(noted.filter(({ value }) => value.patrol_started)).toHaveLength(1);
    await expect
      .poll(async () => (await call('search_memory', { query: 'event', limit: 30 })).text, {
        timeout: 20_000,
      })
      .toContain('10 memories found');
  });

  it('patrol and merge, and every memory is merged once', async () => {
    const { host, being, call, remember } = await open(engine);
    for (let round = 0; round < 3; round += 1) {
      const ids = await remember([`kite ${round} on the hill`, `boat ${round} on the lake`]);
      await call('update_notes', { scenes: [scene(`kite ${round} on the hill`)] });
      await Promise.all([
        call('trigger_patrol', { messages: [] }),
        call('merge_nodes', { node_ids: ids.slice(0, 2).join(','), summary: `round ${round}` }),
      ]);
    }
    const { merges } = (await host.rest('GET', `/v1/beings/${being.id}/merges`)).body;
    const absorbed = merges.flatMap((merge: { absorbed: string[] }) => merge.absorbed);
    expect(new Set(absorbed).size).toBe(absorbed.length);
  });
});
