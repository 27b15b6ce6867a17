import { systemClock } from '../../src/kernel/clock.ts';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Brain } from '../../src/features/brain/brain.ts';
import { createBrain } from '../../src/features/brain/brain.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freshFolder } from '../fixtures/databases.ts';

/** A process is killed at every checkpoint of a change, again and again; the next one must find nothing lost and nothing done twice. */
const child = fileURLToPath(new URL('../fixtures/brain-process.ts', import.meta.url));
const who = localPrincipal('test');
const START = Date.UTC(2026, 1, 1, 10);
const LATER = START + 120 * 86_400_000;

function run(action: string, place: Place, n: number): 'killed' | 'done' {
  const { signal, stdout, stderr } = spawnSync(
    process.execPath,
    [child, action, place.folder, place.database, String(LATER), String(n)],
    {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '--disable-warning=ExperimentalWarning' },
    },
  );
  if (signal === 'SIGKILL') return 'killed';
  expect(stdout, stderr).toBe('done\n');
  return 'done';
}

type Place = Readonly<{ folder: string; database: string }>;

const open = async ({ folder, database }: Place, at: number) => {
  const db = await openDatabase(database, { clock: { ...systemClock, now: () => at } });
  const brain = createBrain({ db, folder, isWatched: false });
  return { db, brain, close: async () => (await brain.close(), db.close()) };
};

/** A vault with two episodes to merge, one fact to promote, and two memories to prune. */
async function seed(): Promise<Place> {
  const root = freshFolder();
  const place = { folder: join(root, 'vault'), database: join(root, 'holdfast.db') };
  mkdirSync(place.folder);
  const early = await open(place, START);
  await (
    await early.brain.open()
  ).store(who, {
    type: 'entity',
    category: 'projects',
    name: 'doomed',
    content: 'Nobody asks.',
    tags: [],
    pinned: false,
  });
  await (
    await early.brain.open()
  ).store(who, {
    type: 'episode',
    category: '',
    name: 'idle',
    content: 'Nothing happened.',
    tags: [],
    pinned: false,
  });
  await early.close();
  const late = await open(place, LATER);
  const episode = { type: 'episode', category: '', tags: ['auth'], pinned: false } as const;
  await (
    await late.brain.open()
  ).store(who, { ...episode, name: 'one', content: '- Cookies rotate every week' });
  await (
    await late.brain.open()
  ).store(who, { ...episode, name: 'two', content: '- The gateway listens on port 80' });
  for (let i = 0; i < 12; i++)
    await (
      await late.brain.open()
    ).feedback(who, { signal: 'task_completed', ids: [`episode-2026-06-one`], key: `k${i}` });
  await late.close();
  return place;
}

function copy(place: Place): Place {
  const root = freshFolder();
  cpSync(join(place.folder, '..'), root, { recursive: true });
  return { folder: join(root, 'vault'), database: join(root, 'holdfast.db') };
}

function texts(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((path) => /^(?:entities|episodes|archive)\//.test(path))
      .toSorted()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}

/** Index, ledger and files tell the same story; then whoever came next goes on. */
async function agree(place: Place, goOn: (brain: Brain) => Promise<unknown> = async () => undefined) {
  const { brain, close } = await open(place, LATER);
  await brain.wake();
  const { total_memories, problems, top } = await (await brain.open()).report(100);
  const files = [...texts(place.folder).keys()].filter((path) => !path.startsWith('archive/'));
  expect(problems).toEqual([]);
  expect(total_memories).toBe(files.length);
  for (const { id } of top) expect(files).toContain((await (await brain.open()).show(id)).path);
  await goOn(brain);
  await close();
}

/** Killed after the last step, before that was said: there is nothing left to take back. */
function acceptNothingLeft(error: unknown): void {
  expect(error).toMatchObject({ code: 'not_found' });
}

describe('killed at every checkpoint', { timeout: 900_000 }, () => {
  it('a compaction loses nothing, and the next one ends where an undisturbed one does', async () => {
    const origin = await seed();
    const calm = copy(origin);
    expect(run('compact', calm, 0)).toBe('done');
    const expected = texts(calm.folder);
    expect(expected.size).toBeGreaterThan(5);
    let crashes = 0;
    for (let n = 1; ; n++) {
      const place = copy(origin);
      const end = run('compact', place, n);
      if (end === 'killed') {
        crashes += 1;
        const everything = [...texts(place.folder).values()].join('\n');
        for (const fact of ['Nobody asks.', 'Nothing happened.', 'Cookies rotate every week', 'port 80'])
          expect(everything).toContain(fact);
        await agree(place, async (brain) => (await brain.open()).compact());
      }
      expect(texts(place.folder)).toEqual(expected);
      rmSync(join(place.folder, '..'), { recursive: true });
      if (end === 'done') break;
    }
    expect(crashes).toBeGreaterThan(10);
  });

  it('an undo brings back the last byte', async () => {
    const origin = await seed();
    const before = texts(origin.folder);
    run('compact', origin, 0);
    for (let n = 1; ; n += 2) {
      const place = copy(origin);
      const end = run('undo', place, n);
      await agree(place, async (brain) => {
        if (end === 'killed') await (await brain.open()).undo().catch(acceptNothingLeft);
      });
      expect(texts(place.folder)).toEqual(before);
      rmSync(join(place.folder, '..'), { recursive: true });
      if (end === 'done') break;
    }
  });

  it.each(['archive', 'update'])('an %s happens whole or not at all', async (action) => {
    const origin = await seed();
    for (let n = 1; ; n++) {
      const place = copy(origin);
      const end = run(action, place, n);
      await agree(place);
      const after = texts(place.folder);
      const home = after.get('entities/projects/doomed.md');
      const archived = after.get('archive/entities/projects/doomed.md');
      if (action === 'archive') expect([home === undefined, archived === undefined]).toEqual([true, false]);
      else expect(home).toContain('after');
      expect(existsSync(place.database)).toBe(true);
      if (end === 'done') break;
    }
  });
});
