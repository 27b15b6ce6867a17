import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { ALICE, freshBrain } from '../fixtures/brain-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';

/** Edits by people, editors and git, found while the vault is open. */
const who = localPrincipal('test');
const ALICE_PATH = 'entities/people/alice-chen.md';
const ALICE_ID = 'entity-people-alice-chen';

describe('a vault is watched:', { timeout: 90_000 }, () => {
  /** Less than the time after which the folder is looked at anyway. */
  const PATIENCE = { timeout: 20_000, interval: 50 };
  const open = async () => {
    const { brain, file, folder } = freshBrain(await freshDatabase('sqlite'), { isWatched: true });
    await (await brain.open()).store(who, ALICE);
    const ids = async (query: string) =>
      (await (await brain.open()).look({ query, type: null, limit: 20 })).results.map(({ id }) => id);
    const finds = (query: string, expected: readonly string[]) =>
      vi.waitFor(async () => expect(await ids(query)).toEqual(expected), PATIENCE);
    return { brain, file, folder, finds, at: (path: string) => join(folder, path) };
  };

  it('a file in a new folder is found without being asked for', async () => {
    const { file, finds } = await open();
    file.write('episodes/2025-01/kite.md', 'Flies high.');
    await finds('flies high', ['episode-2025-01-kite']);
    file.write('episodes/2025-01/boat.md', 'Floats well.');
    await finds('floats well', ['episode-2025-01-boat']);
  });

  it('what an editor saves by renaming keeps its score and use', async () => {
    const { brain, file, finds, at } = await open();
    await (await brain.open()).retrieve(who, ALICE_ID);
    const text = file.read(ALICE_PATH);
    for (const word of ['compilers', 'robotics']) {
      // A backup, a new file, the backup removed: vim's way. Then a temporary file renamed over the old one: most others'.
      if (word === 'compilers') {
        renameSync(at(ALICE_PATH), at(`${ALICE_PATH}~`));
        file.write(ALICE_PATH, text.replace('vision transformers', word));
        rmSync(at(`${ALICE_PATH}~`));
      } else {
        file.write('entities/people/.alice.tmp', text.replace('vision transformers', word));
        renameSync(at('entities/people/.alice.tmp'), at(ALICE_PATH));
      }
      await finds(word, [ALICE_ID]);
    }
    expect(await (await brain.open()).show(ALICE_ID)).toMatchObject({ access_count: 1, credit_score: 0.5 });
  });

  it('a file that moves is found where it went', async () => {
    const { brain, at } = await open();
    mkdirSync(at('entities/projects'));
    renameSync(at(ALICE_PATH), at('entities/projects/alice.md'));
    await vi.waitFor(
      async () => expect((await (await brain.open()).show(ALICE_ID)).path).toBe('entities/projects/alice.md'),
      PATIENCE,
    );
  });

  it('folders that git takes away and brings back are followed again', async () => {
    const { brain, file, finds, at } = await open();
    const text = file.read(ALICE_PATH);
    rmSync(at('entities'), { recursive: true });
    await finds('vision transformers', []);
    for (let i = 0; i < 200; i++) file.write(`entities/projects/note-${i}.md`, `Number ${i} of many.`);
    file.write(ALICE_PATH, text);
    await finds('vision transformers', [ALICE_ID]);
    await vi.waitFor(
      async () => expect((await (await brain.open()).report(1)).total_memories).toBe(201),
      PATIENCE,
    );
    file.write(ALICE_PATH, text.replace('vision transformers', 'compilers'));
    await finds('compilers', [ALICE_ID]);
    rmSync(at('entities/projects'), { recursive: true });
    mkdirSync(at('entities/projects'));
    file.write('entities/projects/last.md', 'The only one left.');
    await finds('only one left', ['entity-projects-last']);
    await vi.waitFor(
      async () => expect((await (await brain.open()).report(1)).total_memories).toBe(2),
      PATIENCE,
    );
    file.write('entities/projects/last.md', 'Changed once more.');
    await finds('changed once more', ['entity-projects-last']);
  });
});
