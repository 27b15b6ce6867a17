import { expect, it } from 'vitest';
import { HOLDING_JSON } from '../../src/store/whole/json-cells.ts';
import { BLANKED, isLeftOut, LEFT_OUT } from '../../src/store/whole/kept.ts';
import { carriedTables } from '../../src/store/whole/tables.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

/** They sound like secrets and are none: digests of content, names of things, ids. */
const HARMLESS = new Set([
  'being_docs.key',
  'brain_memories.hash',
  'credit_signals.key',
  'beings.name_key',
  'jobs.key',
  'memory_facts.hash',
  'recall_episodes.key',
  'recall_near_duplicates.key',
  'project_keys.team_id',
  'runs.token_id',
  'runners.token_id',
  'transcript_usage.tokens',
  'run_messages.signature',
  'source_tools.hash',
  'source_tools.approved_hash',
  'source_tools.prior_hash',
  'source_tools.rejected_hash',
  'tool_approvals.args_hash',
  'tool_approvals.credential',
  'tool_audit.args_hash',
  'tool_audit.hash',
  'land_queues.key',
  'schedule_fires.key',
  'tool_audit_marks.hash',
  'tool_grants.credential',
]);

eachEngine('what of a hub leaves it', (engine) => {
  it('holds no column that sounds like a secret and was not thought about', async () => {
    const db = await freshDatabase(engine);
    const tables = await db.read(carriedTables);
    const open = tables.flatMap(({ name, columns }) =>
      columns
        .filter((column) => /hash|secret|token|password|credential|signature|key$/.test(column))
        .filter((column) => BLANKED[name]?.[column] === undefined)
        .map((column) => `${name}.${column}`),
    );
    expect(open.filter((column) => !HARMLESS.has(column))).toEqual([]);
  });

  it('has every column whose JSON is looked at', async () => {
    const db = await freshDatabase(engine);
    const tables = new Map((await db.read(carriedTables)).map(({ name, columns }) => [name, columns]));
    for (const [table, shapes] of Object.entries(HOLDING_JSON))
      expect(tables.get(table), table).toEqual(expect.arrayContaining(Object.keys(shapes)));
  });

  it('has every table in an order that is its own', async () => {
    const db = await freshDatabase(engine);
    for (const { name, columns, key } of await db.read(carriedTables)) {
      expect(key.length, name).toBeGreaterThan(0);
      expect(isLeftOut(name)).toBe(false);
      expect(columns).not.toContain('words');
    }
  });
});

it('both engines carry the same tables with the same columns', async () => {
  const [sqlite, postgres] = await Promise.all(
    (['sqlite', 'postgres'] as const).map(async (engine) =>
      (await freshDatabase(engine)).read(carriedTables),
    ),
  );
  const shapes = (tables: typeof sqlite) =>
    tables!.map(({ name, columns }) => `${name}: ${columns.join(' ')}`);
  expect(shapes(sqlite)).toEqual(shapes(postgres));
  for (const name of Object.keys(LEFT_OUT)) expect(sqlite!.map((table) => table.name)).not.toContain(name);
});
