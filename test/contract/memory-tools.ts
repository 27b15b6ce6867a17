import { describe, expect, it } from 'vitest';
import type { MemoryClient, MemoryHost } from '../fixtures/memory-host.ts';

/** What document 000 says of `clawboo-memory`, over any host. */
const DOCUMENTED = ['memory_browse', 'memory_save', 'memory_search'];
const EXTENDED = [
  'memory_forget',
  'memory_get',
  'memory_get_procedure',
  'memory_history',
  'memory_list_procedures',
  'memory_supersede',
];

const MISSING = '01890000-0000-7000-8000-000000000000';

export function memoryContract(name: string, openHost: () => Promise<MemoryHost>): void {
  const open = async (): Promise<MemoryClient> => (await openHost()).connect();

  describe(`${name}: tools`, () => {
    it('lists exactly the documented tools, with their required arguments', async () => {
      const { result } = await (await open()).request('tools/list');
      const required = Object.fromEntries(
        result.tools.map((tool: any) => [tool.name, tool.inputSchema.required ?? []]),
      );
      expect(required).toEqual({ memory_browse: [], memory_save: ['content'], memory_search: ['query'] });
    });

    it('adds the extended tools for callers who ask for them; the others are not shown them and can call them', async () => {
      const host = await openHost();
      const client = await host.connect({ profile: 'extended' });
      const { result } = await client.request('tools/list');
      // A hub's other rooms may add guests of their own.
      expect(result.tools.map((tool: { name: string }) => tool.name)).toEqual(
        expect.arrayContaining([...DOCUMENTED, ...EXTENDED]),
      );
      const refused = await (await host.connect()).call('memory_forget', { id: MISSING });
      expect(refused.value.code).toBe('not_found');
    });
  });

  describe(`${name}: memory_save`, () => {
    it('saves a fact and answers it, the same in structuredContent and content', async () => {
      const client = await open();
      const saved = await client.call('memory_save', {
        title: 'Editor',
        content: 'Ann prefers vim',
        tags: ['tools'],
      });
      expect(saved.value).toMatchObject({
        saved: 'fact',
        fact: {
          title: 'Editor',
          content: 'Ann prefers vim',
          tags: ['tools'],
          scopeTeamId: null,
          scopeAgentId: null,
          tenantId: null,
        },
      });
      expect(saved.value.fact).toMatchObject({
        id: expect.any(String),
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number),
      });
      expect(JSON.parse(saved.lines[0]!)).toEqual(saved.value);
    });

    it('refuses a fact without a title with the documented line', async () => {
      const client = await open();
      for (const title of [undefined, '', '  ']) {
        const refused = await client.call('memory_save', { content: 'x', title });
        expect([refused.isError, refused.lines[0]]).toEqual([
          true,
          'a fact requires a title (or set procedureName for a procedure)',
        ]);
      }
    });

    it('declines content that is nothing but secrets, with the documented line, and stores nothing', async () => {
      const client = await open();
      const secret = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
      for (const args of [
        { title: 'key', content: secret },
        { title: 'key', content: `Bearer ${secret}` },
        { procedureName: 'deploy', content: secret },
      ]) {
        const refused = await client.call('memory_save', args);
        expect([refused.isError, refused.lines[0]]).toEqual([
          true,
          'nothing to save: content was entirely redacted secrets',
        ]);
      }
      expect((await client.call('memory_browse')).value.facts).toEqual([]);
    });

    it('scrubs secrets from every stored string', async () => {
      const client = await open();
      const secret = 'sk-ant-abcdefghijklmnopqrstuv';
      const { value } = await client.call('memory_save', {
        title: `T ${secret}`,
        content: `use ${secret} for it`,
        tags: [secret, 'ok'],
        source: secret,
      });
      const procedure = await client.call('memory_save', {
        procedureName: `run ${secret}`,
        content: `first ${secret} then go`,
      });
      expect(JSON.stringify([value, procedure.value])).not.toContain(secret);
      expect(value.fact.tags).toContain('ok');
    });

    it('numbers the versions of a procedure from one, without gaps', async () => {
      const client = await open();
      const saves = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          client.call('memory_save', { procedureName: 'deploy', content: `step ${i}` }),
        ),
      );
      expect(saves.map((save) => save.value.procedure.version).toSorted((a, b) => a - b)).toEqual([
        1, 2, 3, 4, 5, 6, 7, 8,
      ]);
      expect(saves[0]!.value).toMatchObject({
        saved: 'procedure',
        procedure: { name: 'deploy', scopeTeamId: null },
      });
    });

    it('answers an exact duplicate with the fact that is there, and keeps one', async () => {
      const client = await open();
      const first = await client.call('memory_save', {
        title: 'Port',
        content: 'It is 8080',
        tags: ['a', 'b'],
      });
      const again = await client.call('memory_save', {
        title: 'Port',
        content: 'It is 8080',
        tags: ['b', 'a'],
      });
      const elsewhere = await client.call('memory_save', {
        title: 'Port',
        content: 'It is 8080',
        tags: ['a', 'b'],
        scopeTeamId: 't',
      });
      expect(again.value).toEqual({ ...first.value, duplicate: true });
      expect(elsewhere.value.duplicate).toBeUndefined();
      expect(
        (await client.call('memory_search', { query: 'port', scopeTeamId: '' })).value.results,
      ).toHaveLength(1);
    });

    it('takes effect once per idempotency key, and refuses the key for other content', async () => {
      const client = await open();
      const args = { title: 'Once', content: 'only once', idempotencyKey: 'k1' };
      const first = await client.call('memory_save', args);
      expect((await client.call('memory_save', args)).value).toEqual(first.value);
      expect((await client.call('memory_save', { ...args, content: 'something else' })).isError).toBe(true);
    });
  });

  describe(`${name}: memory_search`, () => {
    it('answers hits with the documented fields, best first, by default as fts', async () => {
      const client = await open();
      await client.call('memory_save', {
        title: 'Database',
        content: 'We moved to Postgres in March',
        tags: ['infra'],
      });
      await client.call('memory_save', { title: 'Lunch', content: 'The canteen closes at two' });
      const { value } = await client.call('memory_search', { query: 'when did we move to postgres?' });
      expect(value.mode).toBe('fts');
      expect(value.degraded).toBeUndefined();
      expect(value.results[0]).toMatchObject({
        title: 'Database',
        content: 'We moved to Postgres in March',
        tags: ['infra'],
        matchedVia: 'fts',
        id: expect.any(String),
      });
      expect(value.results[0].score).toBeGreaterThan(0);
      expect(value.results[0].score).toBeLessThanOrEqual(1);
    });

    it('degrades vector and hybrid to fts without a provider, and says so', async () => {
      const client = await open();
      await client.call('memory_save', { title: 'Database', content: 'We use Postgres' });
      for (const mode of ['vector', 'hybrid']) {
        const { value } = await client.call('memory_search', { query: 'postgres', mode });
        expect(value).toMatchObject({
          mode: 'fts',
          degraded: 'No embedding provider is configured.',
          results: [{ title: 'Database', matchedVia: 'fts' }],
        });
      }
    });

    it('answers at most the limit, ten by default', async () => {
      const client = await open();
      await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          client.call('memory_save', { title: `Release ${i}`, content: `release number ${i}` }),
        ),
      );
      expect((await client.call('memory_search', { query: 'release' })).value.results).toHaveLength(10);
      expect((await client.call('memory_search', { query: 'release', limit: 3 })).value.results).toHaveLength(
        3,
      );
      expect((await client.call('memory_browse')).value.facts).toHaveLength(10);
      expect((await client.call('memory_browse', { limit: 200 })).value.facts).toHaveLength(12);
    });

    it('refuses what cannot be and names what is possible', async () => {
      const client = await open();
      for (const [tool, args, mentioned] of [
        ['memory_search', { query: 'x', limit: 0 }, '100'],
        ['memory_search', { query: 'x', limit: -1 }, '1'],
        ['memory_search', { query: 'x', limit: 101 }, '100'],
        ['memory_search', { query: 'x', limit: 1e9 }, '100'],
        ['memory_search', { query: 'x', limit: 2.5 }, 'limit'],
        ['memory_search', { query: 'x', mode: 'magic' }, 'hybrid'],
        ['memory_search', {}, 'query'],
        ['memory_search', { query: 'x'.repeat(1_000_000) }, '100000'],
        ['memory_browse', { limit: 0 }, '1'],
        ['memory_browse', { limit: 201 }, '200'],
        ['memory_save', { title: 'x' }, 'content'],
        ['memory_save', { title: 'x', content: 'a\0b' }, 'NUL'],
        ['memory_save', { title: 'x', content: 'y', tagz: [] }, 'tags'],
      ] as const) {
        const refused = await client.call(tool, args);
        expect(refused.isError, mentioned).toBe(true);
        expect(refused.lines[0]).toContain(mentioned);
      }
    });

    it('answers a query that says nothing with an empty list and a reason', async () => {
      const client = await open();
      await client.call('memory_save', { title: 'Database', content: 'We use Postgres' });
      for (const [what, query] of [
        ['only stop words', 'what is it and who are they'],
        ['only punctuation', '?!… -- ()'],
        ['nothing', ''],
        ['a null byte escaped by nobody', '\u200b'],
        ['emoji', '🦊🦊'],
      ] as const) {
        const { value } = await client.call('memory_search', { query });
        expect(value.results, what).toEqual([]);
        expect(value.note, what).toEqual(expect.any(String));
      }
    });

    it('takes operators as words', async () => {
      const client = await open();
      await client.call('memory_save', { title: 'Database', content: 'We use Postgres' });
      for (const query of [
        'postgres AND NOT "x',
        'postgres*',
        "postgres' OR 1=1 --",
        'NEAR(postgres, 5)',
        'content:postgres',
        '"postgres',
        'postgres) OR (',
        '^postgres',
        '{postgres}',
        'postgres \\',
      ]) {
        expect((await client.call('memory_search', { query })).value.results, query).toHaveLength(1);
      }
    });

    it('finds words of any script', async () => {
      const client = await open();
      await client.call('memory_save', { title: 'other', content: 'nothing to see in this one' });
      for (const [content, query] of [
        ['東京の桜は四月に咲きます', '桜はいつ咲きますか'],
        ['Die Überraschung ist gelungen', 'überraschung'],
        ['Собака спит на балконе', 'где спит собака'],
        ['اشتريت كتابا عن التاريخ', 'كتاب التاريخ'],
        ['גינה קטנה מאחורי הבית', 'גינה'],
        ['서울에서 회의가 있습니다', '서울 회의'],
        ['กรุงเทพเป็นเมืองใหญ่', 'กรุงเทพ'],
        ['Σήμερα βρέχει στην Αθήνα', 'ΑΘΗΝΑ'],
        ['parseRequestBody throws on empty input', 'parse request body'],
        ['see src/store/open.ts for that', 'open.ts'],
        ['the retry_after_ms setting', 'retryAfterMs'],
        ['party 🎉 on friday', '🎉 friday'],
      ] as const) {
        await client.call('memory_save', { title: 'note', content });
        expect((await client.call('memory_search', { query })).value.results[0]?.content).toBe(content);
      }
    });

    it('explains its scores on request', async () => {
      const client = await open();
      await client.call('memory_save', { title: 'Database', content: 'We use Postgres' });
      const [hit] = (await client.call('memory_search', { query: 'postgres', explain: true })).value.results;
      expect(hit.why.item).toBeGreaterThan(0);
    });
  });

  describe(`${name}: scope`, () => {
    it('files a bound save under the bound team only, whatever the arguments say', async () => {
      const host = await openHost();
      const bound = await host.connect({ team: 'red', agent: 'ann', tenant: 'acme' });
      const { value } = await bound.call('memory_save', {
        title: 'T',
        content: 'bound',
        scopeTeamId: 'blue',
        scopeAgentId: 'bob',
      });
      expect(value.fact).toMatchObject({ scopeTeamId: 'red', scopeAgentId: null, tenantId: 'acme' });
      const procedure = await bound.call('memory_save', {
        procedureName: 'p',
        content: 'bound',
        scopeTeamId: 'blue',
      });
      expect(procedure.value.procedure).toMatchObject({ scopeTeamId: 'red', scopeAgentId: null, version: 1 });
    });

    it('shows a bound reader its team, its agent and what is global, never another team', async () => {
      const host = await openHost();
      const anyone = await host.connect();
      const scopes = [
        {},
        { scopeTeamId: 'red' },
        { scopeTeamId: 'blue' },
        { scopeAgentId: 'ann' },
        { scopeAgentId: 'bob' },
        { scopeTeamId: 'red', scopeAgentId: 'bob' },
      ];
      for (const [i, scope] of scopes.entries())
        await anyone.call('memory_save', { title: `c${i}`, content: `canary ${i}`, ...scope });
      const reader = await host.connect({ team: 'red', agent: 'ann' });
      const seen = async (args: Record<string, unknown>) => {
        const found = (await reader.call('memory_search', { query: 'canary', ...args })).value.results;
        const listed = (await reader.call('memory_browse', args)).value.facts;
        return [found, listed].map((facts) => facts.map((fact: { title: string }) => fact.title).toSorted());
      };
      for (const args of [{}, { scopeTeamId: 'blue' }, { scopeTeamId: '', scopeAgentId: 'bob' }]) {
        expect(await seen(args)).toEqual([
          ['c0', 'c1', 'c3'],
          ['c0', 'c1', 'c3'],
        ]);
      }
    });

    it('takes the arguments of an unbound caller: a tag and what has none; absent is everything; empty is global only', async () => {
      const client = await open();
      for (const team of [undefined, 'red', 'blue'])
        await client.call('memory_save', { title: team ?? 'none', content: 'canary', scopeTeamId: team });
      const titles = async (args: object) => {
        const { value } = await client.call('memory_search', { query: 'canary', ...args });
        return value.results.map((fact: { title: string }) => fact.title).toSorted();
      };
      expect(await titles({ scopeTeamId: 'red' })).toEqual(['none', 'red']);
      expect(await titles({ scopeTeamId: '' })).toEqual(['none']);
      expect(await titles({})).toEqual(['blue', 'none', 'red']);
    });

    it('applies the scope before any cut-off', async () => {
      const client = await open();
      await Promise.all(
        Array.from({ length: 220 }, (_, i) =>
          client.call('memory_save', { title: `a${i}`, content: `deploy window ${i}`, scopeTeamId: 'a' }),
        ),
      );
      await client.call('memory_save', { title: 'b', content: 'deploy at night', scopeTeamId: 'b' });
      expect(
        (await client.call('memory_search', { query: 'deploy', scopeTeamId: 'b' })).value.results,
      ).toMatchObject([{ title: 'b' }]);
    });
  });
}
