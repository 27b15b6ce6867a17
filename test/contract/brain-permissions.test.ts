import { chmodSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { ALICE, freshBrain } from '../fixtures/brain-host.ts';
import { freshDatabase } from '../fixtures/databases.ts';

/** What the file system allows, and what is said when it does not. */
const who = localPrincipal('test');
const ALICE_PATH = 'entities/people/alice-chen.md';
const ALICE_ID = 'entity-people-alice-chen';

describe('a vault', () => {
  /** The administrator may do everything, so as such we become nobody for a while. */
  const withModes = async (modes: Readonly<Record<string, number>>, work: () => Promise<void>) => {
    const isAdministrator = process.getuid?.() === 0;
    // Nobody may not read the sources where the checkout lies in a closed folder.
    await import('../../src/features/brain/open-brain.ts');
    for (const [path, mode] of Object.entries(modes)) chmodSync(path, mode);
    if (isAdministrator) process.seteuid!(65_534);
    try {
      await work();
    } finally {
      if (isAdministrator) process.seteuid!(0);
      for (const path of Object.keys(modes)) chmodSync(path, 0o755);
    }
  };

  it('that is read-only can be searched, and says why it does not store', async () => {
    const { brain, folder, file } = freshBrain(await freshDatabase('sqlite'));
    file.write('entities/people/bob.md', 'Bob sails.');
    file.write('entities/people/.0123456789abcdef.tmp', 'half');
    utimesSync(join(folder, 'entities/people/.0123456789abcdef.tmp'), 0, 0);
    const modes = {
      [folder]: 0o555,
      [join(folder, 'entities')]: 0o555,
      [join(folder, 'entities/people')]: 0o555,
    };
    await withModes(modes, async () => {
      await expect(
        (await brain.open()).look({ query: 'sails', type: null, limit: 5 }),
      ).resolves.toMatchObject({
        total_matches: 1,
      });
      const refused = { code: 'forbidden', message: expect.stringMatching(/cannot be written \(E/) };
      await expect((await brain.open()).store(who, ALICE)).rejects.toMatchObject(refused);
      await expect((await brain.open()).update(who, 'entity-people-bob', 'x')).rejects.toMatchObject(refused);
      await expect((await brain.open()).archive(who, 'entity-people-bob')).rejects.toMatchObject(refused);
      await expect((await brain.open()).compact()).resolves.toMatchObject({ details: [] });
      expect((await (await brain.open()).retrieve(who, 'entity-people-bob')).content).toBe('Bob sails.');
    });
  });

  it('that became read-only after a crash can be read, and is finished when it can be written again', async () => {
    let isCrashing = false;
    const { brain, folder, file } = freshBrain(await freshDatabase('sqlite'), {
      log: silentLog,
      checkpoint: (name) => {
        if (isCrashing && name === 'intent') throw new Error('crash');
      },
    });
    await (await brain.open()).store(who, ALICE);
    isCrashing = true;
    await expect((await brain.open()).update(who, ALICE_ID, 'after')).rejects.toThrow('crash');
    isCrashing = false;
    const modes = {
      [folder]: 0o555,
      [join(folder, 'entities')]: 0o555,
      [join(folder, 'entities/people')]: 0o555,
    };
    await withModes({ ...modes, [join(folder, ALICE_PATH)]: 0o444 }, async () => {
      await brain.wake();
      expect((await (await brain.open()).show(ALICE_ID)).content).toBe(ALICE.content);
    });
    await brain.wake();
    expect(file.read(ALICE_PATH)).toContain('after');
  });

  it('keeps the permissions of a file that it changes', async () => {
    const { brain, folder } = freshBrain(await freshDatabase('sqlite'));
    await (await brain.open()).store(who, ALICE);
    chmodSync(join(folder, ALICE_PATH), 0o640);
    await (await brain.open()).update(who, ALICE_ID, 'after');
    expect(statSync(join(folder, ALICE_PATH)).mode & 0o777).toBe(0o640);
  });

  it('with a file and a folder that nobody may read reports both and serves the rest', async () => {
    const { brain, folder, file } = freshBrain(await freshDatabase('sqlite'));
    file.write('entities/people/bob.md', 'Bob sails.');
    file.write('entities/people/eve.md', 'Eve hides.');
    file.write('entities/projects/secret.md', 'Hidden.');
    await withModes(
      {
        [folder]: 0o777,
        [join(folder, 'entities/people/eve.md')]: 0,
        [join(folder, 'entities/projects')]: 0,
      },
      async () => {
        const { total_memories, problems } = await (await brain.open()).report(1);
        expect(total_memories).toBe(1);
        expect(problems.map(({ path }) => path)).toEqual(['entities/people/eve.md', 'entities/projects']);
      },
    );
    await brain.wake();
    expect(await (await brain.open()).report(1)).toMatchObject({ total_memories: 3, problems: [] });
  });
});
