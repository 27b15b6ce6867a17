import { expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { createMeaning, embeddingSettings } from '../../recall/recall.ts';
import { createMemoryDesk } from './memory.ts';
import { createActing } from '../../store/calls.ts';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { localPrincipal, type Principal, systemActor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { browseFacts, createFacts, saveFact, saveProcedure } from './facts.ts';
import { history, supersede } from './lifecycle.ts';
import { type ExchangeRecord, recordSchema } from './record.ts';
import { exportPage, importRecords } from './transfer.ts';

eachEngine('an export', (engine) => {
  it('loses no procedure where a page ends between two scopes of one name', async () => {
    const db = await freshDatabase(engine);
    const who = localPrincipal('');
    const memory = createFacts();
    for (const scopeTeamId of ['red', 'blue', 'green']) {
      await db.write(systemActor, (tx) =>
        saveProcedure(memory.in(tx, who), {
          name: 'deploy',
          content: scopeTeamId,
          source: 'test',
          scopeTeamId,
        }),
      );
    }
    const found: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await db.read((q) => exportPage({ q, who: who }, {}, { after: after!, limit: 1 }));
      found.push(...page.records.map((record) => record.content));
      after = page.next;
    }
    expect(found.toSorted()).toEqual(['blue', 'green', 'red']);
  });

  it('keeps which version replaced which, and an import of it twice changes nothing', async () => {
    const who = localPrincipal('');
    const memory = createFacts();
    const from = await freshDatabase(engine);
    const first = await from.write(systemActor, (tx) =>
      saveFact(memory.in(tx, who), { title: 'Port', content: '9090', tags: [], source: 'test' }),
    );
    const second = await from.write(systemActor, (tx) =>
      supersede(memory.in(tx, who), { id: first.fact.id, content: '9191', source: 'test' }),
    );
    await from.write(systemActor, (tx) =>
      supersede(memory.in(tx, who), { id: second.fact.id, content: '9292', source: 'test' }),
    );
    const { records } = await from.read((q) => exportPage({ q, who: who }, {}, { after: '' }));

    const to = await freshDatabase(engine);
    // One at a time, as the pages of a long file come.
    for (const record of records)
      await to.write(systemActor, (tx) =>
        importRecords(memory.in(tx, who), memory, { records: [record], source: 'test' }),
      );
    const again = await to.write(systemActor, (tx) =>
      importRecords(memory.in(tx, who), memory, { records, source: 'test' }),
    );
    expect(again).toEqual({ saved: 0, duplicates: 3, declined: 0 });
    const [current] = await to.read((q) => browseFacts({ q, who: who }, { limit: 10 }));
    const versions = await to.read((q) => history({ q, who: who }, { id: current!.id }));
    expect(versions.map((version) => version.content)).toEqual(['9090', '9191', '9292']);
    expect(versions.map((version) => version.supersededBy)).toEqual([versions[1]!.id, versions[2]!.id, null]);
    expect(versions.map((version) => version.validTo)).toEqual(records.map((record) => record.validTo));
  });

  it('what ends later is found until then', async () => {
    const db = await freshDatabase(engine);
    const who = localPrincipal('');
    const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
    const desk = createMemoryDesk({
      db,
      facts: createFacts(),
      meaning,
      via: 'tool',
      acting: createActing(db),
    });
    const record = {
      kind: 'fact' as const,
      title: 'Port',
      tags: [],
      tenantId: null,
      scopeTeamId: null,
      scopeAgentId: null,
      validFrom: 1_000,
    };
    const tomorrow = Date.now() + 86_400_000;
    await desk.importRecords(
      who,
      [
        { ...record, content: 'The port is 1', validTo: 2_000 },
        { ...record, content: 'The port is 2', validTo: tomorrow },
      ],
      'test',
    );
    const contents = async (asOf?: number) =>
      (await desk.search(who, { query: 'port', asOf })).results.map((fact) => fact.content);
    expect(await contents()).toEqual(['The port is 2']);
    expect(await contents(tomorrow)).toEqual([]);
    expect((await contents(1_500)).toSorted()).toEqual(['The port is 1', 'The port is 2']);
  });

  it('puts facts and procedures back inside the tenant they belong to', async () => {
    const memory = createFacts();
    const operator = localPrincipal('');
    const acme = localPrincipal('', { tenant: 'acme', team: 'red' });
    const from = await freshDatabase(engine);
    await from.write(systemActor, (tx) =>
      saveFact(memory.in(tx, acme), { title: 'Plan', content: 'sell', tags: [], source: 'test' }),
    );
    await from.write(systemActor, (tx) =>
      saveProcedure(memory.in(tx, acme), { name: 'deploy', content: 'push', source: 'test' }),
    );
    const records = await everything(from, operator);
    expect(records.map((record) => record.tenantId)).toEqual(['acme', 'acme']);

    const to = await freshDatabase(engine);
    const put = (who: Principal) =>
      to.write(systemActor, (tx) => importRecords(memory.in(tx, who), memory, { records, source: 'test' }));
    for (const bound of [{ team: 'red' }, { tenant: 'other' }, { tenant: 'other', team: 'red' }]) {
      await expect(put(localPrincipal('', bound))).rejects.toThrow(
        expect.objectContaining({ code: 'forbidden' }),
      );
    }
    expect(await everything(to, operator)).toEqual([]);
    expect(await put(operator)).toEqual({ saved: 2, duplicates: 0, declined: 0 });
    expect(await put(acme)).toEqual({ saved: 0, duplicates: 2, declined: 0 });
    expect(await everything(to, localPrincipal('', { team: 'red' }))).toEqual([]);
    expect(await everything(to, localPrincipal('', { tenant: 'other', team: 'red' }))).toEqual([]);
    expect(
      (await everything(to, acme)).map(({ title, tenantId, scopeTeamId }) => [title, tenantId, scopeTeamId]),
    ).toEqual([
      ['Plan', 'acme', 'red'],
      ['deploy', 'acme', 'red'],
    ]);
  });

  it('files what names no tenant with the tenant of the connection', async () => {
    const memory = createFacts();
    const db = await freshDatabase(engine);
    const acme = localPrincipal('', { tenant: 'acme' });
    const record = recordSchema.parse({ kind: 'fact', title: 'Plan', content: 'sell' });
    await db.write(systemActor, (tx) =>
      importRecords(memory.in(tx, acme), memory, { records: [record], source: 'test' }),
    );
    expect((await everything(db, localPrincipal(''))).map(({ tenantId }) => tenantId)).toEqual(['acme']);
  });

  it('keeps the episodes of two hubs apart, and those of one together', async () => {
    const memory = createFacts();
    const who = localPrincipal('');
    const to = await freshDatabase(engine);
    for (const hub of ['one', 'two']) {
      const from = await freshDatabase(engine);
      for (const n of [1, 2])
        await from.write(systemActor, (tx) =>
          saveFact(memory.in(tx, who), {
            title: hub,
            content: `${hub} ${n}`,
            tags: [],
            episode: 'trip',
            source: 'test',
          }),
        );
      const records = await everything(from, who);
      for (const saved of [2, 0]) {
        const counts = await to.write(systemActor, (tx) =>
          importRecords(memory.in(tx, who), memory, { records, source: 'test' }),
        );
        expect(counts).toEqual({ saved, duplicates: 2 - saved, declined: 0 });
      }
    }
    const facts = await to.read((q) => browseFacts({ q, who: who }, { limit: 10 }));
    const episodes = (hub: string) =>
      new Set(facts.filter((fact) => fact.title === hub).map((fact) => fact.episode));
    expect([episodes('one').size, episodes('two').size]).toEqual([1, 1]);
    expect(episodes('one')).not.toEqual(episodes('two'));
  });

  it('keeps who saved a fact and when, as somebody else says it', async () => {
    const memory = createFacts();
    const who = localPrincipal('');
    const from = await freshDatabase(engine);
    const ada = { id: 'ada', asserted: false };
    const { fact } = await from.write(ada, (tx) =>
      saveFact(memory.in(tx, who), { title: 'Port', content: '9090', tags: [], source: 'docs' }),
    );
    const records = await everything(from, who);
    const put = async (principal: Principal) => {
      const to = await freshDatabase(engine);
      // Later than the first, so that the moments cannot be the same.
      await new Promise((resolve) => setTimeout(resolve, 5));
      await to.write(systemActor, (tx) =>
        importRecords(memory.in(tx, principal), memory, { records, source: 'test' }),
      );
      return (await to.read((q) => browseFacts({ q, who: who }, { limit: 1 })))[0];
    };
    const { createdAt } = fact;
    expect(await put(who)).toMatchObject({ author: 'ada', authorAsserted: true, createdAt, source: 'docs' });
    expect(await put(localPrincipal('', { team: 'red' }))).toMatchObject({
      author: 'system',
      authorAsserted: false,
      createdAt,
    });
  });

  it('keeps all versions of a procedure, and an import of them twice changes nothing', async () => {
    const memory = createFacts();
    const who = localPrincipal('');
    const from = await freshDatabase(engine);
    const told = ['push', 'push twice', 'push'];
    for (const content of told) {
      await from.write({ id: 'ada', asserted: false }, (tx) =>
        saveProcedure(memory.in(tx, who), { name: 'deploy', content, source: 'test' }),
      );
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const records = await everything(from, who);
    expect(records.map(({ content, author }) => [content, author])).toEqual(
      told.map((content) => [content, 'ada']),
    );

    for (const importer of [who, localPrincipal('', { team: 'red' })]) {
      const to = await freshDatabase(engine);
      for (const saved of [3, 0]) {
        const counts = await to.write(systemActor, (tx) =>
          importRecords(memory.in(tx, importer), memory, { records, source: 'test' }),
        );
        expect(counts).toEqual({ saved, duplicates: 3 - saved, declined: 0 });
      }
      const kept = await everything(to, who);
      expect(kept.map(({ content, createdAt }) => [content, createdAt])).toEqual(
        records.map(({ content, createdAt }) => [content, createdAt]),
      );
    }
  });
});

async function everything(db: Database, who: Principal): Promise<ExchangeRecord[]> {
  const found: ExchangeRecord[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page = await db.read((q) => exportPage({ q, who: who }, {}, { after: after! }));
    found.push(...page.records);
    after = page.next;
  }
  return found;
}
