import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { eachEngine, freshDatabase } from './fixtures/databases.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

it('the generated reference is what the sources say', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/reference.mjs', '--check'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

it('every link of llms.txt leads somewhere, and every guide is in it', () => {
  const links = [...read('llms.txt').matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path!);
  for (const path of links) expect(read(path).length, path).toBeGreaterThan(0);
  for (const guide of readdirSync(join(root, 'docs/guides')).filter((name) => name.endsWith('.md')))
    expect(links).toContain(`docs/guides/${guide}`);
});

eachEngine('the reference of events', (engine) => {
  it('knows the kinds that the store itself writes', async () => {
    const db = await freshDatabase(engine);
    const known = new Set(
      [...read('docs/reference/events.md').matchAll(/^\| `([^`]+)`/gm)].map(([, kind]) => kind!),
    );
    const { enqueue } = await import('../src/store/jobs.ts');
    const { systemActor } = await import('../src/kernel/principal.ts');
    const { sql } = await import('../src/store/sql.ts');
    await db.write(systemActor, (tx) => enqueue(tx, { queue: 'q' }));
    const kinds = await db.read((q) => q.all<{ kind: string }>(sql`select distinct kind from events`));
    for (const { kind } of kinds) expect(known).toContain(kind);
  });
});
