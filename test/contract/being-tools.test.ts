import { describe, expect, it } from 'vitest';
import { type BeingHost, ERAS, openBeingHost, scene, type TestBeing } from '../fixtures/being-host.ts';
import { eachEngine } from '../fixtures/databases.ts';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/;

eachEngine('the eleven tools of a Being', (engine) => {
  describe.each(ERAS)('in the %s era', (era) => {
    const open = async () => {
      const host = await openBeingHost(engine);
      const being = await host.create('Luna');
      const call = (tool: string, args?: object) => host.call(being, tool, args, { era });
      return { host, being, call };
    };

    it('lists them with their documented parameters', async () => {
      const { host, being } = await open();
      const { body } = await host.hub.rpc(`/mcp/${being.id}`, 'tools/list', {}, { token: being.token });
      const shapes = Object.fromEntries(
        body.result.tools.map((tool: any) => [
          tool.name,
          Object.keys(tool.inputSchema.properties ?? {}).map((name) =>
            tool.inputSchema.required?.includes(name) ? `${name}!` : name,
          ),
        ]),
      );
      expect(shapes).toEqual({
        recall: ['user_message!'],
        get_context: [],
        recall_memory: ['cluster_id', 'node_id', 'limit', 'query', 'no_nodes'],
        search_memory: ['query!', 'limit', 'mode'],
        merge_nodes: ['node_ids!', 'summary!', 'feeling'],
        update_memory: ['target!', 'action!', 'content', 'key', 'location', 'to'],
        update_notes: ['action', 'scenes', 'notes', 'scene_ids'],
        search_history: ['query', 'date_from', 'date_to', 'limit'],
        update_relation: ['entity_name!', 'relation_type!', 'content', 'action!'],
        trigger_patrol: ['messages!', 'marker_id'],
        get_current_time: ['timezone'],
      });
    });

    it('recall: nothing at first, then at most three fragments in a block', async () => {
      const { call } = await open();
      const nothing = await call('recall', { user_message: 'the lighthouse' });
      expect(nothing).toMatchObject({
        status: 200,
        isError: false,
        text: 'No memory comes to mind for this.',
      });
      const scenes = ['by the sea', 'in winter', 'at night', 'with friends'].map((when) =>
        scene(`We climbed the lighthouse ${when}`),
      );
      await call('update_notes', { scenes });
      await call('trigger_patrol', { messages: [] });
      const { text } = await call('recall', { user_message: 'Tell me about the lighthouse' });
      expect(text).toMatch(/^<memory-recall>\n.+\n<\/memory-recall>$/);
      expect(text.split(' / ')).toHaveLength(3);
    });

    it('get_context: the documented fields, in an order that stays', async () => {
      const { call, being } = await open();
      await call('update_memory', {
        target: 'souls',
        action: 'update',
        key: 'personality',
        content: 'Curious and calm.',
      });
      await call('update_memory', {
        target: 'preferences',
        action: 'append',
        key: 'tea',
        content: 'Prefers green tea.',
      });
      await call('update_memory', {
        target: 'partner_tools',
        action: 'append',
        key: 'server',
        content: 'password hunter2hunter2',
      });
      await call('update_notes', { notes: ['Buy oil'] });
      const { value } = await call('get_context');
      expect(value.system_prompt).toBe(
        '# Luna\n\n## Personality\nCurious and calm.\n\n## Preferences\n- tea: Prefers green tea.',
      );
      expect(value.snapshot).toContain('Buy oil');
      expect(value.snapshot).toContain('- server');
      expect(JSON.stringify(value)).not.toContain('hunter2');
      expect(value.metadata).toMatchObject({
        being_id: being.id,
        soul_name: 'Luna',
        model_recommendation: 'claude-sonnet-4-6',
      });
      expect(Object.keys(value.metadata.cache_guidance)).toEqual(['system_prompt', 'snapshot']);
      expect(value).toMatchObject({ capability_tools: [], recent_nodes: [] });
      expect((await call('get_context')).value).toEqual(value);
    });

    it('recall_memory: clusters, a digest with memories, one memory', async () => {
      const { call } = await open();
      await call('update_notes', {
        scenes: [scene('Repaired the old bicycle', { importance: 0.9 }), scene('Watered the plants')],
      });
      await call('trigger_patrol', { messages: [] });
      const list = (await call('recall_memory')).text;
      expect(list).toMatch(
        /\[.+\] Business \(2\) — Repaired the old bicycle; Watered the plants\n\[.+\] Private \(0\)/,
      );
      const cluster = UUID.exec(list)![0];
      const shown = (await call('recall_memory', { cluster_id: cluster })).text;
      expect(shown).toContain('Repaired the old bicycle; Watered the plants');
      expect(shown).toMatch(/- \[.+\] 2026-04-14 — Mika — Repaired the old bicycle importance 0.90/);
      expect((await call('recall_memory', { cluster_id: cluster, no_nodes: true })).text).not.toContain(
        'importance',
      );
      const filtered = (await call('recall_memory', { cluster_id: cluster, query: 'PLANTS' })).text;
      expect(filtered).not.toContain('importance 0.90');
      const node = UUID.exec(filtered.split('\n- [')[1]!)![0];
      const detail = (await call('recall_memory', { node_id: node })).text;
      expect(detail).toContain('action: Watered the plants');
      expect(detail).toContain('status: active');
      expect(detail).toContain('reactivation_count: 3');
    });

    it('search_memory: says how it searched, and knows or from and', async () => {
      const { call } = await open();
      await call('update_notes', {
        scenes: [scene('Bought a red kite'), scene('Flew the kite on the beach', { themes: ['wind'] })],
      });
      await call('trigger_patrol', { messages: [] });
      expect((await call('search_memory', { query: 'kite' })).text).toMatch(
        /^2 memories found \(keyword search, or\):\n- \[/,
      );
      const both = await call('search_memory', { query: 'kite beach', mode: 'and' });
      expect(both.text).toMatch(/^1 memory found \(keyword search, and\):/);
      expect(both.text).toContain('(wind)');
      expect((await call('search_memory', { query: 'submarine' })).text).toBe(
        'No memory found (keyword search, or).',
      );
    });

    it('merge_nodes: one memory in place of two, and nothing of them lost', async () => {
      const { call } = await open();
      await call('update_notes', {
        scenes: [
          scene('Planted tomatoes', {
            actors: ['Mika', 'Ren'],
            themes: ['garden'],
            setting: 'balcony',
            importance: 0.4,
          }),
          scene('Harvested the first tomatoes', {
            when: ['2026-07-01'],
            themes: ['food'],
            feeling: 'proud',
            importance: 0.8,
          }),
        ],
      });
      await call('trigger_patrol', { messages: [] });
      const found = (await call('search_memory', { query: 'tomatoes' })).text;
      const ids = [...found.matchAll(new RegExp(UUID.source, 'g'))].map(([id]) => id);
      expect(ids).toHaveLength(2);
      const merged = await call('merge_nodes', { node_ids: ids.join(', '), summary: 'A summer of tomatoes' });
      expect(merged.text).toMatch(/^Merged 2 memories into [0-9a-f-]{36}\.$/);
      const detail = (await call('recall_memory', { node_id: UUID.exec(merged.text)![0] })).text;
      for (const kept of [
        'Mika',
        'Ren',
        'balcony',
        'proud',
        'garden',
        'food',
        '2026-04-14: Planted tomatoes',
        '2026-07-01: Harvested',
      ])
        expect(detail).toContain(kept);
      expect(detail).toContain('importance: 0.80');
      expect((await call('search_memory', { query: 'tomatoes' })).text).toMatch(/^1 memory found/);
      expect((await call('recall_memory', { node_id: ids[0] })).text).toContain('status: dead (merged)');
    });

    it('update_notes: replaces scenes in one step, keeps notes, and starts a patrol at ten scenes', async () => {
      const { call } = await open();
      const first = await call('update_notes', {
        scenes: [scene('one'), scene('two')],
        notes: ['remember the milk'],
      });
      expect(first.value).toMatchObject({ status: 'ok', waiting_scenes: 2, patrol_started: false });
      const [one] = first.value.scene_ids;
      const replaced = await call('update_notes', {
        action: 'update',
        scene_ids: [one],
        scenes: [scene('one, corrected')],
      });
      expect(replaced.value.notes.map(({ content }: any) => content.action ?? content)).toEqual([
        'two',
        'remember the milk',
        'one, corrected',
      ]);
      const refused = await call('update_notes', {
        action: 'update',
        scene_ids: [one],
        scenes: [scene('again')],
      });
      expect(refused.isError).toBe(true);
      const many = Array.from({ length: 8 }, (_, i) => scene(`happening number ${i}`));
      expect((await call('update_notes', { scenes: many })).value).toMatchObject({
        waiting_scenes: 10,
        patrol_started: true,
      });
      await expect
        .poll(async () => (await call('search_memory', { query: 'happening' })).text)
        .toMatch(/^8 memories/);
      expect((await call('get_context')).value.snapshot).toContain('remember the milk');
    });

    it('update_notes: a field of a scene that nobody knows is refused with the one that was meant', async () => {
      const { call, host } = await open();
      for (const [field, meant] of [
        ['feelings', 'feeling'],
        ['Importance', 'importance'],
        ['actor', 'actors'],
      ] as const) {
        const refused = await call('update_notes', {
          scenes: [scene('fine'), { ...scene('x'), [field]: 'y' }],
        });
        expect([refused.isError, refused.text]).toEqual([
          true,
          expect.stringMatching(new RegExp(`"${field}" in scenes\\.1; known: .*; did you mean ${meant}\\?`)),
        ]);
      }
      const { value } = await call('update_notes', { scenes: [scene('one')] });
      const change = { target: 'notes', action: 'update', key: value.scene_ids[0] };
      const content = JSON.stringify({ ...scene('one'), feelings: 'glad' });
      expect((await call('update_memory', { ...change, content })).text).toContain('did you mean feeling?');
      const soul = { name: 'Nova', soul: { personality: 'kind', vice: 'low' } };
      const { status, body } = await host.rest('POST', '/v1/beings', soul);
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining('did you mean voice?')]);
    });

    it('search_history: by word and by day, newest first', async () => {
      const { call, host, being } = await open();
      const at = (day: string) => Date.parse(`${day}T23:59:59.000Z`);
      const messages = [
        { role: 'user', content: 'I lost 100% of my keys', at: at('2026-03-01') },
        { role: 'assistant', content: 'Look under the mat', at: at('2026-03-02') },
      ];
      expect((await host.rest('POST', `/v1/beings/${being.id}/messages`, { messages })).status).toBe(201);
      expect((await call('search_history')).text).toBe(
        '2 messages, newest first:\n- [2026-03-02 23:59:59 UTC] assistant: Look under the mat\n- [2026-03-01 23:59:59 UTC] user: I lost 100% of my keys',
      );
      expect((await call('search_history', { query: 'LOST 100%' })).text).toMatch(/^1 message,/);
      expect((await call('search_history', { query: '100_' })).text).toBe('No message matches.');
      expect((await call('search_history', { date_from: '2026-03-02', date_to: '2026-03-02' })).text).toMatch(
        /^1 message,/,
      );
      expect((await call('search_history', { limit: 1 })).text).toMatch(/^1 message,/);
    });

    it('update_relation: upserts, overwrites and deletes', async () => {
      const { call } = await open();
      const relation = { entity_name: 'Ren', relation_type: 'person' };
      expect(
        (await call('update_relation', { ...relation, action: 'upsert', content: 'A friend.' })).value,
      ).toMatchObject({
        success: true,
      });
      const again = await call('update_relation', {
        ...relation,
        action: 'upsert',
        content: 'An old friend.',
      });
      expect(again.value).toMatchObject({ success: true, before: 'A friend.' });
      expect((await call('search_history', { query: 'a friend' })).text).toContain(
        'relation person Ren, replaced',
      );
      expect((await call('get_context')).value.system_prompt).toContain('- Ren [person]: An old friend.');
      expect((await call('update_relation', { ...relation, action: 'delete' })).value).toMatchObject({
        success: true,
      });
      expect((await call('update_relation', { ...relation, action: 'delete' })).isError).toBe(true);
      expect((await call('update_relation', { ...relation, action: 'upsert' })).text).toBe(
        'content is required for upsert',
      );
    });

    it('trigger_patrol: the documented answer, and a marker that is not the last one is reported', async () => {
      const { call } = await open();
      await call('update_notes', { scenes: [scene('went swimming'), scene('read a long novel')] });
      const { value } = await call('trigger_patrol', { messages: [] });
      expect(value).toMatchObject({
        status: 'ok',
        scenes_created: 0,
        nodes_created: 2,
        marker_id: expect.stringMatching(UUID),
      });
      expect(
        value.steps.filter(({ outcome }: any) => outcome === 'skipped').map(({ step }: any) => step),
      ).toEqual(['extract', 'split', 'reflect']);
      const messages = [{ role: 'user', content: 'hello there' }];
      const again = (await call('trigger_patrol', { messages, marker_id: value.marker_id })).value;
      expect(again).not.toHaveProperty('marker_note');
      const more = [...messages, { role: 'assistant', content: 'good morning' }];
      const next = (await call('trigger_patrol', { messages: more, marker_id: again.marker_id })).value;
      expect(next.messages_skipped).toBe(1);
      const stale = (await call('trigger_patrol', { messages: more, marker_id: value.marker_id })).value;
      expect(stale).toMatchObject({ marker_note: expect.stringContaining('no message was skipped') });
      expect((await call('search_history', { query: 'hello' })).text).toMatch(/^2 messages/);
    });

    it('get_current_time: the documented format in any zone', async () => {
      const { call } = await open();
      const { value, text } = await call('get_current_time', { timezone: 'Asia/Tokyo' });
      expect(value.datetime).toMatch(/^\d{4}\/\d{2}\/\d{2}\([日月火水木金土]\) \d{2}:\d{2}:\d{2}$/);
      expect(value).toMatchObject({
        timezone: 'Asia/Tokyo',
        iso: expect.stringMatching(/^\d{4}-.+T.+\.\d{3}Z$/),
      });
      expect(JSON.parse(text)).toEqual(value);
      expect((await call('get_current_time')).value.timezone).toBe('UTC');
      expect((await call('get_current_time', { timezone: 'Mars/Olympus' })).text).toBe(
        'unknown time zone: Mars/Olympus',
      );
    });
  });
});

eachEngine('update_memory', (engine) => {
  const open = async (): Promise<{
    host: BeingHost;
    being: TestBeing;
    call: (args: object) => ReturnType<BeingHost['call']>;
  }> => {
    const host = await openBeingHost(engine);
    const being = await host.create('Luna');
    return { host, being, call: (args) => host.call(being, 'update_memory', args) };
  };

  it.each([
    ['preferences', 'tea', 'Green.', 'Black.', 'Green.\n\nBlack.'],
    ['knowledge', 'Rust', 'A language.', 'Safe.', 'A language.\n\nSafe.'],
    ['relationship', 'Ren', 'A friend.', 'Likes jazz.', 'A friend.\n\nLikes jazz.'],
    ['partner_map', 'Home', 'Third floor.', 'Second floor.', 'Second floor.'],
    ['partner_tools', 'Door', 'code 1234', 'code 5678', 'code 5678'],
    ['diary', '2026-04-14', 'Rain.', 'Sun later.', 'Rain.\n\nSun later.'],
  ])('%s: append, append again, update, get', async (target, key, first, second, joined) => {
    const { call } = await open();
    expect((await call({ target, action: 'append', key, content: first })).value).toMatchObject({
      success: true,
      key,
    });
    await call({ target, action: 'append', key, content: second });
    expect((await call({ target, action: 'get', key })).value.entries).toMatchObject([
      { key, content: joined },
    ]);
    await call({ target, action: 'update', key, content: 'New.' });
    expect((await call({ target, action: 'get' })).value.entries).toMatchObject([{ key, content: 'New.' }]);
    expect((await call({ target, action: 'delete', key })).value).toMatchObject({ success: true, key });
    expect((await call({ target, action: 'get', key })).isError).toBe(true);
  });

  it('update echoes what was there, except secrets', async () => {
    const { call } = await open();
    await call({ target: 'preferences', action: 'append', key: 'tea', content: 'Green.' });
    const { value } = await call({ target: 'preferences', action: 'update', key: 'tea', content: 'Black.' });
    expect(value).toMatchObject({ before: 'Green.', after: 'Black.' });
    await call({ target: 'partner_tools', action: 'append', key: 'door', content: 'sesame-sesame' });
    const secret = await call({
      target: 'partner_tools',
      action: 'update',
      key: 'door',
      content: 'open-open-open',
    });
    expect(JSON.stringify(secret.body)).not.toContain('sesame');
  });

  it('append over an entry says what it replaced, and the history has it', async () => {
    const { call, host, being } = await open();
    const map = (content: string, location?: string) =>
      call({ target: 'partner_map', action: 'append', key: 'Home', content, location });
    expect((await map('Third floor.', 'Oslo')).value).toEqual({
      success: true,
      message: 'saved Home',
      key: 'Home',
    });
    expect((await map('Second floor.')).value).toMatchObject({
      message: 'replaced Home',
      replaced: true,
      before: 'Third floor.',
      after: 'Second floor.',
    });
    const tool = (content: string) =>
      call({ target: 'partner_tools', action: 'append', key: 'door', content });
    expect((await tool('sesame-sesame')).value).not.toHaveProperty('replaced');
    const secret = await tool('open-open-open');
    expect(secret.value).toMatchObject({ replaced: true });
    expect(JSON.stringify(secret.body)).not.toContain('sesame');
    expect((await call({ target: 'partner_map', action: 'get', key: 'Home' })).value.entries).toMatchObject([
      { content: 'Second floor.', location: 'Oslo' },
    ]);
    expect((await host.call(being, 'search_history', { query: 'third' })).text).toMatch(
      /^1 message, newest first:\n- \[.+ UTC\] partner_map Home, replaced: Third floor\.$/,
    );
    expect((await host.call(being, 'search_history', {})).text).not.toContain('door');
    const history = await host.rest('GET', `/v1/beings/${being.id}/documents/history`);
    expect(history.body.entries).toMatchObject([
      { target: 'partner_tools', key: 'door', content: null },
      { target: 'partner_map', key: 'Home', content: 'Third floor.', location: 'Oslo' },
    ]);
    await call({ target: 'partner_map', action: 'delete', key: 'Home' });
    const gone = await host.rest('GET', `/v1/beings/${being.id}/documents/history?target=partner_map`);
    expect(gone.body.entries).toEqual([]);
  });

  it('partner_tools: two secrets without a key lie apart, and no title tells of one', async () => {
    const { call } = await open();
    const saved = await Promise.all(
      ['sesame-sesame', 'abracadabra'].map((content) =>
        call({ target: 'partner_tools', action: 'append', content }),
      ),
    );
    const keys = saved.map(({ value }) => value.key as string);
    expect(new Set(keys).size).toBe(2);
    for (const key of keys) expect(key).toMatch(/^untitled-[0-9a-f]{8}$/);
    const { entries } = (await call({ target: 'partner_tools', action: 'get' })).value;
    expect(entries.map(({ content }: { content: string }) => content).toSorted()).toEqual([
      'abracadabra',
      'sesame-sesame',
    ]);
  });

  it('partner_rules: written as `[category] title: body`, changed by id', async () => {
    const { call } = await open();
    expect((await call({ target: 'partner_rules', action: 'append', content: 'be kind' })).text).toBe(
      'a rule must be written as `[category] title: body`',
    );
    const { value } = await call({
      target: 'partner_rules',
      action: 'append',
      content: '[tone] Kindness: Be kind.',
    });
    await call({ target: 'partner_rules', action: 'update', key: value.key, content: 'Always be kind.' });
    expect((await call({ target: 'partner_rules', action: 'get' })).value.entries).toMatchObject([
      { key: value.key, category: 'tone', title: 'Kindness', content: 'Always be kind.' },
    ]);
    expect((await call({ target: 'partner_rules', action: 'delete', key: value.key })).value.success).toBe(
      true,
    );
    expect((await call({ target: 'partner_rules', action: 'delete', key: value.key })).isError).toBe(true);
  });

  it('party_message: is delivered to a Being of the same owner, and to nobody else', async () => {
    const { host, call } = await open();
    const sol = await host.create('Sol');
    await host.create('Stranger', 'somebody-else');
    const sent = await call({
      target: 'party_message',
      action: 'append',
      to: 'sol',
      content: 'Tea at five?',
    });
    expect(sent.value).toMatchObject({ success: true, message: 'delivered to Sol' });
    for (const to of ['Stranger', 'Nobody', 'Luna']) {
      expect(await call({ target: 'party_message', action: 'append', to, content: 'x' })).toMatchObject({
        isError: true,
      });
    }
    const { snapshot } = (await host.call(sol, 'get_context')).value;
    expect(snapshot).toContain('from Luna');
    expect(snapshot).toContain('| Tea at five?');
    expect((await host.call(sol, 'get_context')).value.snapshot).not.toContain('Tea at five?');
    const inbox = (await host.call(sol, 'update_memory', { target: 'party_message', action: 'get' })).value;
    expect(inbox.messages).toMatchObject([{ from: 'Luna', content: 'Tea at five?', read: true }]);
  });

  it.each([
    [{ target: 'diaries', action: 'get' }, 'target must be one of'],
    [{ target: 'diary', action: 'burn' }, 'action must be one of'],
    [{ target: 'preferences', action: 'update', content: 'x' }, 'key is required for preferences: a name'],
    [{ target: 'preferences', action: 'delete' }, 'key is required for preferences'],
    [{ target: 'preferences', action: 'append' }, 'content is required to write preferences'],
    [{ target: 'diary', action: 'append', key: '2026-02-31', content: 'x' }, 'key must be an existing date'],
    [
      { target: 'souls', action: 'append', key: 'voice', content: 'x' },
      'souls cannot be changed with append',
    ],
    [
      { target: 'souls', action: 'update', key: 'name', content: 'x' },
      'the name of a Being is set by its owner',
    ],
    [{ target: 'souls', action: 'update', key: 'think_md', content: 'x' }, 'key must be one of personality'],
    [{ target: 'party_message', action: 'append', content: 'x' }, 'to is required'],
    [{ target: 'party_message', action: 'delete', key: 'x' }, 'party_message cannot be changed with delete'],
    [{ target: 'notes', action: 'update', content: 'x' }, 'key is required for notes'],
    [
      { target: 'knowledge', action: 'append', content: 'x', location: 'here' },
      'location is for partner_map only',
    ],
    [{ target: 'knowledge', action: 'append', content: '   ' }, 'content must not be blank'],
  ])('refuses %j', async (args, why) => {
    const { call } = await open();
    const { isError, text } = await call(args);
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
  });
});

describe('bad input is refused in words', () => {
  it.each([
    ['recall_memory', { node_id: 'not-a-uuid' }, 'node_id: must be a UUID'],
    ['recall_memory', { cluster_id: '01a89c1e-0000-7000-8000-000000000000' }, 'There is no cluster'],
    ['search_memory', { query: 'x', limit: 31 }, 'limit must be a whole number from 1 to 30, got 31'],
    ['search_history', { limit: 51 }, 'limit must be a whole number from 1 to 50, got 51'],
    ['search_history', { date_from: '2026-02-31' }, 'date_from must be an existing date'],
    [
      'search_history',
      { date_from: '2026-03-02', date_to: '2026-03-01' },
      'date_from 2026-03-02 lies after date_to 2026-03-01',
    ],
    ['merge_nodes', { node_ids: '', summary: 'x' }, 'node_ids must be a string'],
    ['merge_nodes', { node_ids: 'a,b', summary: 'x' }, 'node_ids must be UUIDs'],
    [
      'merge_nodes',
      { node_ids: '01a89c1e-0000-7000-8000-000000000000', summary: 'x' },
      'at least two different memories, got 1',
    ],
    ['update_notes', {}, 'give at least one of scenes or notes'],
    [
      'update_notes',
      { scenes: [{ action: 'x', actors: [], when: ['2026-01-01'] }] },
      'scenes.0.actors must be a list',
    ],
    ['update_notes', { scenes: [scene('x', { when: ['2026-02-31'] })] }, 'must be an existing date'],
    [
      'update_notes',
      { scenes: [scene('x', { importance: 7 })] },
      'scenes.0.importance must be a number from 0 to 1, got 7',
    ],
    ['update_notes', { action: 'update', scenes: [scene('x')] }, 'scene_ids is required'],
    ['trigger_patrol', {}, 'messages is required'],
    ['get_current_time', { timezone: '+09:00' }, 'unknown time zone'],
  ])('%s with %j', async (tool, args, why) => {
    const host = await openBeingHost();
    const being = await host.create('Luna');
    const { isError, text } = await host.call(being, tool, args);
    expect([isError, text]).toEqual([true, expect.stringContaining(why)]);
  });

  it('ten thousand scenes at once', async () => {
    const host = await openBeingHost();
    const being = await host.create('Luna');
    const scenes = Array.from({ length: 10_000 }, (_, i) => ({
      action: `s${i}`,
      actors: ['a'],
      when: ['2026-01-01'],
    }));
    const { isError, text } = await host.call(being, 'update_notes', { scenes });
    expect([isError, text]).toEqual([
      true,
      expect.stringContaining('scenes must be a list of at most 500 items, got a list of 10000 items'),
    ]);
  });
});
