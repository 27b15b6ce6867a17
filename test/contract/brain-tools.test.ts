import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Tool } from '../../src/mcp/define.ts';
import { inputSchemaOf } from '../../src/mcp/schema.ts';
import type { BoardClient } from '../fixtures/board-host.ts';
import { handClock } from '../fixtures/board-host.ts';
import { ALICE, DOCUMENTED_TOOLS, freshBrain } from '../fixtures/brain-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

/** The seven documented tools of `clawbrain`, as any client sees them, on both engines. */
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const DAY = 86_400_000;

eachEngine('clawbrain', (engine) => {
  const open = async () => {
    const clock = handClock(Date.UTC(2026, 1, 25, 10));
    const db = await freshDatabase(engine, { clock });
    const fixture = freshBrain(db);
    return { ...fixture, clock, db, client: fixture.connect() };
  };
  const store = async (client: BoardClient, args: object = ALICE) => {
    const answer = await client.call('memory_store', { ...args });
    expect(answer.isError, answer.lines.join('\n')).toBe(false);
    return answer.value;
  };

  it('lists exactly the seven documented tools, and two more in the extended profile', async () => {
    const { client, connect } = await open();
    expect((await client.toolNames()).toSorted()).toEqual(DOCUMENTED_TOOLS);
    expect((await connect({ profile: 'extended' }).toolNames()).toSorted()).toEqual(
      [...DOCUMENTED_TOOLS, 'memory_feedback', 'memory_restore'].toSorted(),
    );
  });

  it('says its documented defaults in the schemas', async () => {
    const { server } = await open();
    const defaults = (server.tools as readonly Tool[]).flatMap((tool) => {
      const { properties = {} } = inputSchemaOf(tool) as {
        properties?: Record<string, { default?: unknown }>;
      };
      return Object.entries(properties).flatMap(([name, { default: value }]) =>
        value === undefined ? [] : [[name, value]],
      );
    });
    expect(Object.fromEntries(defaults)).toEqual({
      type: null,
      limit: 5,
      tags: [],
      pinned: false,
      top_n: 10,
      dry_run: false,
    });
  });

  describe('memory_store', () => {
    it('answers id, path and created, and writes frontmatter and content', async () => {
      const { client, file } = await open();
      expect(await store(client)).toEqual({
        id: 'entity-people-alice-chen',
        path: 'entities/people/alice-chen.md',
        created: true,
      });
      const text = file.read('entities/people/alice-chen.md');
      const [, head, body] = /^---\n([\s\S]*?)---\n\n([\s\S]*)$/.exec(text)!;
      expect(parse(head!)).toEqual({
        id: 'entity-people-alice-chen',
        type: 'entity',
        category: 'people',
        tags: ['colleague', 'ml-team'],
        created: '2026-02-25T10:00:00Z',
        updated: '2026-02-25T10:00:00Z',
        pinned: false,
      });
      expect(body).toBe(`${ALICE.content}\n`);
    });

    it('files episodes by the month of the clock and ignores their category', async () => {
      const { client } = await open();
      expect(
        await store(client, {
          type: 'episode',
          category: 'whatever',
          name: 'auth-session',
          content: 'x y',
          tags: [],
          pinned: false,
        }),
      ).toEqual({
        id: 'episode-2026-02-auth-session',
        path: 'episodes/2026-02/auth-session.md',
        created: true,
      });
    });

    it('refuses what exists and suggests memory_update', async () => {
      const { client } = await open();
      await store(client);
      const again = await client.call('memory_store', { ...ALICE, content: 'other' });
      expect(again.isError).toBe(true);
      expect(again.lines[0]).toBe(
        'Memory already exists at entities/people/alice-chen.md. Use memory_update to change it.',
      );
      expect(again.value).toMatchObject({ code: 'conflict', id: 'entity-people-alice-chen' });
    });

    it('starts at a score of exactly 0.5', async () => {
      const { client } = await open();
      const { id } = await store(client);
      expect((await client.call('memory_retrieve', { id })).value.credit_score).toBe(0.5);
    });
  });

  describe('memory_retrieve', () => {
    it('answers every documented field and counts the access', async () => {
      const { client, clock } = await open();
      const { id } = await store(client);
      await client.call('memory_retrieve', { id });
      clock.advance(60_000);
      const { value, lines } = await client.call('memory_retrieve', { id });
      expect(value).toMatchObject({
        id,
        type: 'entity',
        category: 'people',
        name: 'alice-chen',
        content: ALICE.content,
        tags: ['colleague', 'ml-team'],
        credit_score: 0.5,
        access_count: 2,
        created_at: '2026-02-25T10:00:00Z',
        last_accessed: '2026-02-25T10:01:00Z',
        pinned: false,
      });
      expect(JSON.parse(lines[0]!)).toEqual(value);
    });

    it('decays with the days since the last access, when read', async () => {
      const { client, clock, brain } = await open();
      const { id } = await store(client);
      clock.advance(10 * DAY);
      expect((await (await brain.open()).show(id)).credit_score).toBe(0.4524);
      expect((await (await brain.open()).show(id)).credit_score).toBe(0.4524);
    });

    it('names an unknown id', async () => {
      const { client } = await open();
      const answer = await client.call('memory_retrieve', { id: 'entity-people-nobody' });
      expect(answer.lines[0]).toBe('Memory not found: entity-people-nobody');
      expect((await client.call('credit_report')).value.total_memories).toBe(0);
    });
  });

  describe('memory_search', () => {
    it('scores names 1.0, tags 0.8 and text 0.5, and combines from the values shown', async () => {
      const { client } = await open();
      await store(client);
      await store(client, { ...ALICE, name: 'bob', tags: ['alice-team'], content: 'Bob builds' });
      await store(client, { ...ALICE, name: 'carol', tags: [], content: 'Works with Alice daily' });
      const { value } = await client.call('memory_search', { query: 'alice' });
      expect(value.total_matches).toBe(3);
      expect(
        value.results.map((hit: any) => [
          hit.name,
          hit.relevance_score,
          hit.credit_score,
          hit.combined_score,
        ]),
      ).toEqual([
        ['alice-chen', 1, 0.5, 0.7],
        ['bob', 0.8, 0.5, 0.62],
        ['carol', 0.5, 0.5, 0.5],
      ]);
      for (const hit of value.results)
        expect(hit.combined_score).toBeCloseTo(hit.relevance_score * 0.4 + hit.credit_score * 0.6, 4);
      expect(value.results[0]).toMatchObject({
        id: 'entity-people-alice-chen',
        type: 'entity',
        snippet: 'ML engineer at the lab, focuses on vision transformers',
      });
    });

    it('takes type null, filters before the limit, and counts all matches', async () => {
      const { client } = await open();
      for (let i = 0; i < 8; i++)
        await store(client, {
          type: 'episode',
          name: `session-${i}`,
          content: 'talked about parsers',
          tags: [],
          category: '',
        });
      await store(client, { ...ALICE, name: 'parser-person' });
      expect((await client.call('memory_search', { query: 'pars', type: null })).value).toMatchObject({
        total_matches: 9,
        results: { length: 5 },
      });
      const entities = (await client.call('memory_search', { query: 'pars', type: 'entity' })).value;
      expect(entities).toMatchObject({ total_matches: 1, results: [{ name: 'parser-person' }] });
      expect((await client.call('memory_search', { query: 'pars', limit: 20 })).value.results).toHaveLength(
        9,
      );
      const tooMany = await client.call('memory_search', { query: 'pars', limit: 21 });
      expect(tooMany.lines[0]).toContain('limit must be a whole number from 1 to 20');
    });

    it('answers a natural question below the documented tiers', async () => {
      const { client } = await open();
      await store(client);
      await store(client, {
        ...ALICE,
        category: 'projects',
        name: 'billing',
        tags: [],
        content: 'Invoices are sent on Mondays.',
      });
      const { value } = await client.call('memory_search', { query: 'When do we send the invoice?' });
      expect(value.results[0]).toMatchObject({ name: 'billing' });
      expect(value.results[0].relevance_score).toBeLessThan(0.5);
      expect(value.results[0].relevance_score).toBeGreaterThan(0);
    });

    it('weighs credit as documented', async () => {
      const { client, brain } = await open();
      const low = await store(client, { ...ALICE, name: 'topic-one' });
      const high = await store(client, { ...ALICE, name: 'other', tags: ['topic'] });
      const who = { kind: 'local', id: 'local', scopes: new Set(['*']), seat: 's', bound: {} } as const;
      for (let i = 0; i < 12; i++)
        await (
          await brain.open()
        ).feedback(who, { signal: 'positive_feedback', ids: [high.id], key: `k${i}` });
      const { results } = (await client.call('memory_search', { query: 'topic' })).value;
      expect(results.map((hit: any) => hit.id)).toEqual([high.id, low.id]);
    });
  });

  describe('memory_update', () => {
    it('keeps the frontmatter, moves updated, and answers the previous time', async () => {
      const { client, clock, file } = await open();
      const { id, path } = await store(client);
      clock.advance(3_600_000);
      const { value } = await client.call('memory_update', { id, content: '# Alice Chen\n\n- Team lead' });
      expect(value).toEqual({ id, updated: true, previous_updated_at: '2026-02-25T10:00:00Z' });
      expect(file.read(path)).toContain(
        'created: 2026-02-25T10:00:00Z\nupdated: 2026-02-25T11:00:00Z\npinned: false',
      );
      const read = (await client.call('memory_retrieve', { id })).value;
      expect(read).toMatchObject({
        content: '# Alice Chen\n\n- Team lead',
        tags: ['colleague', 'ml-team'],
        created_at: '2026-02-25T10:00:00Z',
      });
      expect((await client.call('memory_search', { query: 'vision' })).value.total_matches).toBe(0);
    });

    it('names what other entities of the category contradict', async () => {
      const { client } = await open();
      await store(client, {
        ...ALICE,
        category: 'preferences',
        name: 'editor',
        content: '- The deploy script uses port 8080 for the gateway',
      });
      const { id } = await store(client, {
        ...ALICE,
        category: 'preferences',
        name: 'deploy',
        content: 'x y z',
      });
      const { value } = await client.call('memory_update', {
        id,
        content: '- The deploy script does not use port 8080 for the gateway',
      });
      expect(value.contradictions).toEqual([expect.objectContaining({ with: 'entity-preferences-editor' })]);
    });

    it('does not take ordinary words for a contradiction', async () => {
      const { client } = await open();
      await store(client, { ...ALICE, name: 'bob', content: '- Bob knows the notes by now' });
      const { id } = await store(client);
      expect(
        (await client.call('memory_update', { id, content: '- Alice notes what she knows now' })).value
          .contradictions,
      ).toBeUndefined();
    });

    it('refuses an unknown id', async () => {
      const { client } = await open();
      expect(
        (await client.call('memory_update', { id: 'entity-people-nobody', content: 'x' })).value.code,
      ).toBe('not_found');
    });
  });

  describe('memory_delete', () => {
    it('moves the file to the same path under archive and drops the record', async () => {
      const { client, folder, file, brain } = await open();
      const { id, path } = await store(client);
      const before = file.read(path);
      const { value } = await client.call('memory_delete', { id });
      expect(value).toEqual({ id, archived: true, archive_path: 'archive/entities/people/alice-chen.md' });
      expect(existsSync(join(folder, path))).toBe(false);
      expect(file.read(value.archive_path)).toBe(before);
      expect((await client.call('credit_report')).value.total_memories).toBe(0);
      expect((await client.call('memory_search', { query: 'alice' })).value).toEqual({
        results: [],
        total_matches: 0,
      });
      expect((await (await brain.open()).history(id, 10)).length).toBeGreaterThan(0);
    });

    it('refuses pinned memories', async () => {
      const { client, folder } = await open();
      const { id, path } = await store(client, { ...ALICE, pinned: true });
      const answer = await client.call('memory_delete', { id });
      expect(answer.lines[0]).toBe(`Cannot archive pinned memory: ${id}`);
      expect(existsSync(join(folder, path))).toBe(true);
    });

    it('never overwrites what was archived before', async () => {
      const { client, file } = await open();
      const { id } = await store(client);
      await client.call('memory_delete', { id });
      await store(client, { ...ALICE, content: 'second life' });
      const { archive_path } = (await client.call('memory_delete', { id })).value;
      expect(archive_path).toMatch(/^archive\/entities\/people\/alice-chen-\d{8}T\d{9}Z\.md$/);
      expect(file.read('archive/entities/people/alice-chen.md')).toContain('vision transformers');
      expect(file.read(archive_path)).toContain('second life');
    });

    it('can be taken back with memory_restore, with the score it had', async () => {
      const { client, connect, brain } = await open();
      const { id } = await store(client);
      const extended = connect({ profile: 'extended' });
      await extended.call('memory_feedback', { outcome: 'good', ids: [id] });
      const { credit_score } = await (await brain.open()).show(id);
      await client.call('memory_delete', { id });
      expect((await extended.call('memory_restore', { id })).value).toEqual({
        id,
        restored: true,
        path: 'entities/people/alice-chen.md',
      });
      expect((await (await brain.open()).show(id)).credit_score).toBe(credit_score);
    });
  });

  describe('credit_report', () => {
    it('answers totals, both ends and the times of the last compaction', async () => {
      const { client } = await open();
      await store(client);
      await store(client, { ...ALICE, name: 'bob' });
      const { value } = await client.call('credit_report', { top_n: 1 });
      expect(value).toMatchObject({
        total_memories: 2,
        avg_score: 0.5,
        top: [{ id: 'entity-people-alice-chen', name: 'alice-chen', score: 0.5, access_count: 0 }],
        bottom: [{ name: 'bob' }],
        prune_candidates: 0,
        last_consolidation: null,
        last_pruning: null,
      });
      await client.call('memory_compact');
      const after = (await client.call('credit_report')).value;
      expect(after.last_consolidation).toMatch(ISO);
      expect(after.last_pruning).toMatch(ISO);
    });
  });

  describe('memory_compact', () => {
    it('consolidates, promotes and prunes, and says so in words', async () => {
      const { client, clock, folder, brain } = await open();
      await store(client, {
        type: 'episode',
        name: 'old-chat',
        content: 'small talk',
        tags: ['chat'],
        pinned: false,
      });
      await store(client, { ...ALICE, category: 'preferences', name: 'old-style' });
      await store(client);
      clock.advance(120 * DAY);
      await store(client, {
        type: 'episode',
        name: 'login-bug',
        content: '- The login form needs a token refresh',
        tags: ['auth', 'debugging'],
      });
      await store(client, {
        type: 'episode',
        name: 'login-fix',
        content: '- Fixed by rotating the cookie key',
        tags: ['auth'],
      });
      const dry = (await client.call('memory_compact', { dry_run: true })).value;
      expect(existsSync(join(folder, 'episodes/2026-02/old-chat.md'))).toBe(true);
      const { value } = await client.call('memory_compact');
      expect({ ...dry, dry_run: undefined }).toEqual({ ...value, dry_run: undefined });
      expect(value).toEqual({
        consolidated: 2,
        promoted: 0,
        pruned: 2,
        details: [
          "Merged 2 episodes from 2026-06-25 into 'auth-debugging-2026-06-25'",
          "Archived 'entity-preferences/old-style' (score: 0.15)",
          "Archived 'episode-2026-02/old-chat' (score: 0.15)",
        ],
      });
      expect(existsSync(join(folder, 'archive/episodes/2026-02/old-chat.md'))).toBe(true);
      expect((await (await brain.open()).log(10)).map((row) => row.action)).toEqual([
        'prune',
        'prune',
        'consolidate',
      ]);
      expect((await client.call('memory_compact')).value).toEqual({
        consolidated: 0,
        promoted: 0,
        pruned: 0,
        details: [],
      });
    });

    it('reads STRATEGY.md, and names the line of a mistake before anything changes', async () => {
      const { client, file, clock } = await open();
      const { id } = await store(client, { ...ALICE, category: 'projects' });
      file.write(
        'STRATEGY.md',
        '# Mine\n\nProse > 50% is fine.\n\n```yaml\nprune_threshold: 0.45\nprune_min_age_days: 7\n```\n',
      );
      clock.advance(12 * DAY);
      expect((await client.call('memory_compact', { dry_run: true })).value.pruned).toBe(1);
      file.write('STRATEGY.md', '# Mine\n\n```yaml\nprune_min_age_days: 7\nprune_threshold: 3\n```\n');
      const answer = await client.call('memory_compact');
      expect(answer.lines[0]).toBe(
        'STRATEGY.md line 5: prune_threshold must be a number from 0 to 0.5; got 3.',
      );
      expect((await client.call('memory_retrieve', { id })).isError).toBe(false);
    });
  });
});
