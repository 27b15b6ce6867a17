import { expect, it } from 'vitest';
import { eachEngine, freshDatabase } from '../../../test/fixtures/databases.ts';
import { localPrincipal, systemActor } from '../../kernel/principal.ts';
import { createMemory } from './memory.ts';
import { exportPage } from './transfer.ts';

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
});
