import { expect, it } from 'vitest';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { localPrincipal, systemActor } from '../../kernel/principal.ts';
import { createMemory } from './memory.ts';
import { history, supersede } from './lifecycle.ts';
import { exportPage, importRecords } from './transfer.ts';

eachEngine('an export', (engine) => {
  it('loses no procedure where a page ends between two scopes of one name', async () => {
    const db = await freshDatabase(engine);
    const who = localPrincipal('');
    const memory = createMemory();
    for (const scopeTeamId of ['red', 'blue', 'green']) {
      await db.write(systemActor, (tx) =>
        memory.saveProcedure(tx, who, { name: 'deploy', content: scopeTeamId, source: 'test', scopeTeamId }),
      );
    }
    const found: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const page = await db.read((q) => exportPage(q, who, {}, after!, 1));
      found.push(...page.records.map((record) => record.content));
      after = page.next;
    }
    expect(found.toSorted()).toEqual(['blue', 'green', 'red']);
  });

  it('keeps which version replaced which, and an import of it twice changes nothing', async () => {
    const who = localPrincipal('');
    const memory = createMemory();
    const from = await freshDatabase(engine);
    const first = await from.write(systemActor, (tx) => memory.save(tx, who, { title: 'Port', content: '9090', tags: [], source: 'test' }));
    const second = await from.write(systemActor, (tx) =>
      supersede(tx, who, memory, { id: first.fact.id, content: '9191', source: 'test' }),
    );
    await from.write(systemActor, (tx) => supersede(tx, who, memory, { id: second.fact.id, content: '9292', source: 'test' }));
    const { records } = await from.read((q) => exportPage(q, who, {}, ''));

    const to = await freshDatabase(engine);
    // One at a time, as the pages of a long file come.
    for (const record of records) await to.write(systemActor, (tx) => importRecords(tx, who, memory, [record], 'test'));
    const again = await to.write(systemActor, (tx) => importRecords(tx, who, memory, records, 'test'));
    expect(again).toEqual({ saved: 0, duplicates: 3, declined: 0 });
    const [current] = await to.read((q) => memory.browse(q, who, { limit: 10 }));
    const versions = await to.read((q) => history(q, who, memory, current!.id, {}));
    expect(versions.map((version) => version.content)).toEqual(['9090', '9191', '9292']);
    expect(versions.map((version) => version.supersededBy)).toEqual([versions[1]!.id, versions[2]!.id, null]);
    expect(versions.map((version) => version.validTo)).toEqual(records.map((record) => record.validTo));
  });
});
