import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isUuid } from '../../src/features/being/rules.ts';
import { newId } from '../../src/kernel/ids.ts';
import { type BeingHost, openBeingHost, scene, type TestBeing } from '../fixtures/being-host.ts';
import { eachEngine, type Engine } from '../fixtures/databases.ts';

type Marked = TestBeing & Readonly<{ canary: string; owner: string }>;

/** Beings of two owners, each full of its own canary in every place that a tool can reach. */
async function populate(engine: Engine): Promise<{ host: BeingHost; beings: readonly Marked[] }> {
  const host = await openBeingHost(engine);
  const beings: Marked[] = [];
  for (const [name, owner] of [
    ['Luna', 'ada'],
    ['Sol', 'ada'],
    ['Mond', 'bob'],
  ] as const) {
    const being = await host.create(name, owner);
    const canary = `canary${name.toLowerCase()}zq`;
    const write = (target: string, extra: object) =>
      host.call(being, 'update_memory', { target, content: `${canary} ${target}`, ...extra });
    for (const target of ['preferences', 'knowledge', 'relationship', 'partner_tools', 'partner_map'])
      await write(target, { action: 'append', key: 'shared key' });
    await write('diary', { action: 'append', key: '2026-04-14' });
    await write('souls', { action: 'update', key: 'voice' });
    await host.call(being, 'update_memory', {
      target: 'partner_rules',
      action: 'append',
      content: `[tone] Rule: ${canary}`,
    });
    await host.call(being, 'update_relation', {
      entity_name: 'Ren',
      relation_type: 'person',
      content: canary,
      action: 'upsert',
    });
    await host.call(being, 'update_notes', {
      notes: [`${canary} note`],
      scenes: ['walked by the shared river', 'sang the shared song', 'cooked the shared soup'].map((action) =>
        scene(`${action} with ${canary}`, { themes: ['shared', canary], feeling: canary, setting: canary }),
      ),
    });
    await host.call(being, 'trigger_patrol', {
      messages: [{ role: 'user', content: `${canary} shared message` }],
    });
    await host.call(being, 'update_notes', { scenes: [scene(`a waiting shared scene of ${canary}`)] });
    const capabilities = [{ type: 'act', name: canary, description: canary }];
    await host.rest('POST', `/v1/beings/${being.id}/capabilities`, {
      bridge: 'shared',
      capabilities,
      ttlSeconds: 3600,
    });
    beings.push({ ...being, canary, owner });
  }
  return { host, beings };
}

const QUERIES = [
  'shared',
  'river',
  'shared soup',
  'canary',
  'canarylunazq',
  'canarysolzq',
  'canarymondzq',
  '%',
  '_',
  "' or 1=1 --",
  'Ren',
];

eachEngine('what one Being holds never reaches another', (engine) => {
  it('on any read path, whatever is asked', { timeout: 180_000 }, async () => {
    const { host, beings } = await populate(engine);
    const foreign = new Map<string, string[]>();
    for (const being of beings) {
      const exported = JSON.stringify((await host.rest('GET', `/v1/beings/${being.id}/export`)).body);
      const ids = [
        ...new Set(exported.match(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g)),
      ].filter(isUuid);
      foreign.set(being.id, ids);
    }
    const query = fc.constantFrom(...QUERIES);
    const asked = fc.record({
      me: fc.nat(beings.length - 1),
      other: fc.nat(beings.length - 1),
      pick: fc.nat(200),
      tool: fc.constantFrom(
        'recall',
        'get_context',
        'recall_memory',
        'search_memory',
        'search_history',
        'update_memory',
        'merge_nodes',
        'update_notes',
      ),
      target: fc.constantFrom(
        'preferences',
        'knowledge',
        'relationship',
        'partner_tools',
        'partner_map',
        'diary',
        'notes',
        'party_message',
        'partner_rules',
        'souls',
      ),
      query,
      useId: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(asked, async ({ me, other, pick, tool, target, query: words, useId }) => {
        const mine = beings[me]!;
        const others = beings.filter(({ id }) => id !== mine.id);
        const ids = foreign.get(beings[other]!.id)!;
        const id = ids[pick % ids.length]!;
        const args: Record<string, object> = {
          recall: { user_message: words },
          get_context: {},
          recall_memory: useId ? { node_id: id } : pick % 2 === 0 ? { cluster_id: id, limit: 50 } : {},
          search_memory: { query: words, limit: 30, mode: useId ? 'and' : 'or' },
          search_history: { query: words, limit: 50 },
          update_memory: { target, action: 'get', ...(useId && { key: id }) },
          merge_nodes: {
            node_ids: `${id},${ids[(pick + 1) % ids.length]}`,
            summary: `merged with ${mine.canary}`,
          },
          update_notes: { action: 'update', scene_ids: [id], scenes: [scene(`replaced by ${mine.canary}`)] },
        };
        const { body } = await host.call(mine, tool, args[tool]);
        for (const { canary } of others) expect(JSON.stringify(body)).not.toContain(canary);
      }),
      { numRuns: engine === 'sqlite' ? 400 : 120 },
    );
    for (const being of beings) {
      const exported = JSON.stringify((await host.rest('GET', `/v1/beings/${being.id}/export`)).body);
      for (const { id, canary } of beings) if (id !== being.id) expect(exported).not.toContain(canary);
      for (const place of [
        'preferences',
        'knowledge',
        'relationship',
        'partner_map',
        'note',
        'a waiting shared scene of',
      ])
        expect(exported).toContain(place === 'note' ? `${being.canary} note` : being.canary);
    }
  });

  it('deleting one removes its text, index and vectors, and nothing of the others', async () => {
    const { host, beings } = await populate(engine);
    const [luna, sol] = beings;
    const before = (await host.rest('GET', `/v1/beings/${sol!.id}/export`)).body;
    expect((await host.rest('DELETE', `/v1/beings/${luna!.id}`)).status).toBe(200);
    expect((await host.call(luna!, 'get_context')).status).toBe(401);
    expect((await host.rest('GET', `/v1/beings/${luna!.id}`)).status).toBe(404);
    expect((await host.rest('GET', `/v1/beings/${sol!.id}/export`)).body).toEqual(before);
    expect((await host.call(sol!, 'search_memory', { query: 'shared soup' })).text).toContain(sol!.canary);
  });

  it('an export that is imported again is the same, and can go on', async () => {
    const { host, beings } = await populate(engine);
    const [luna] = beings;
    await host.call(luna!, 'update_notes', {
      scenes: [scene(`walked by the shared river with ${luna!.canary}`, { themes: ['again'] })],
    });
    await host.call(luna!, 'trigger_patrol', { messages: [] });
    for (const content of ['Third floor.', 'Second floor.'])
      await host.call(luna!, 'update_memory', {
        target: 'partner_map',
        action: 'append',
        key: 'Home',
        content,
      });
    const exported = (await host.rest('GET', `/v1/beings/${luna!.id}/export`)).body;
    expect(new Set(exported.records.map(({ kind }: any) => kind))).toEqual(
      new Set(['being', 'doc', 'relation', 'note', 'cluster', 'node', 'message', 'merge', 'run', 'past']),
    );
    await host.rest('DELETE', `/v1/beings/${luna!.id}`);
    expect((await host.rest('POST', '/v1/beings/import', { records: exported.records })).status).toBe(201);
    expect((await host.rest('GET', `/v1/beings/${luna!.id}/export`)).body).toEqual(exported);
    const { body } = await host.rest('POST', `/v1/beings/${luna!.id}/tokens`, {});
    const back = { id: luna!.id, token: body.token };
    expect((await host.call(back, 'recall', { user_message: 'the shared river' })).text).toContain(
      luna!.canary,
    );
    const merges = (await host.rest('GET', `/v1/beings/${luna!.id}/merges`)).body.merges;
    expect((await host.rest('POST', `/v1/beings/${luna!.id}/merges/${merges[0].id}/undo`)).status).toBe(200);
    expect((await host.call(back, 'trigger_patrol', { messages: [] })).value.status).toBe('ok');
  });
});

/** The index keys words by six digits of a hash of the space: among some thousand ids two share them. */
function collidingIds(): readonly [string, string] {
  const seen = new Map<string, string>();
  for (;;) {
    const id = newId();
    const key = createHash('sha256').update(`being:${id}`).digest('hex').slice(0, 6);
    const other = seen.get(key);
    if (other !== undefined) return [other, id];
    seen.set(key, id);
  }
}

describe('two Beings whose words have one key', () => {
  it('find their own memories only', async () => {
    const host = await openBeingHost();
    const times = { createdAt: 1, updatedAt: 1 };
    const names = ['first', 'second'] as const;
    const beings = await Promise.all(
      collidingIds().map(async (id, i) => {
        const being = { kind: 'being', id, owner: 'local', name: names[i]!, marker: null, ...times };
        const root = { kind: 'cluster', id: newId(), name: 'Business', digest: '', parentId: null, ...times };
        expect((await host.rest('POST', '/v1/beings/import', { records: [being, root] })).status).toBe(201);
        const { body } = await host.rest('POST', `/v1/beings/${id}/tokens`, {});
        return { id, token: body.token as string, name: names[i]! };
      }),
    );
    for (const being of beings) {
      await host.call(being, 'update_notes', { scenes: [scene(`secret of the ${being.name} alone`)] });
      await host.call(being, 'trigger_patrol', { messages: [] });
    }
    for (const being of beings) {
      for (const tool of ['search_memory', 'recall']) {
        const { text } = await host.call(
          being,
          tool,
          tool === 'recall' ? { user_message: 'secret' } : { query: 'secret' },
        );
        expect(text.match(/secret of the \w+ alone/g)).toEqual([`secret of the ${being.name} alone`]);
      }
    }
  });
});
