import { systemActor } from '../../src/kernel/principal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';

/**
 * Another hub on the same PostgreSQL: eight writers without a pause, to be frozen at any moment. Tells what
 * it was answered.
 */
const [location, schema, manner] = process.argv.slice(2) as [string, string, 'plain' | 'lock' | 'row'];
const db = await openDatabase(location, { schema });
let serial = 0;

async function write(key: string): Promise<void> {
  const unit = { key, hash: key };
  await db.write(
    systemActor,
    async (tx) => {
      if (manner === 'lock') await tx.lock('shared');
      if (manner === 'row') await tx.run(sql`update counters set value = value + 1 where name = 'shared'`);
      await tx.run(sql`insert into once (key, hash, answer, at) values (${`row:${key}`}, '', '', 1)`);
      tx.emit({ kind: 'a', subject: key, realm: 'hub' });
    },
    serial % 2 === 0 ? unit : undefined,
  );
}

async function writeOn(): Promise<void> {
  for (;;) {
    const key = `${process.pid}:${(serial += 1)}`;
    const outcome = await write(key).then(
      () => 'done',
      (error: { code?: string }) => error.code ?? 'unknown',
    );
    process.send!({ key, outcome });
    if (outcome !== 'done') await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
await Promise.all(Array.from({ length: 8 }, writeOn));
