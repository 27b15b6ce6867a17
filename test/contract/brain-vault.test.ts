import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { handClock } from '../fixtures/board-host.ts';
import { ALICE, freshBrain } from '../fixtures/brain-host.ts';
import { eachEngine, freshDatabase, freshFolder, freshPlace } from '../fixtures/databases.ts';

/** The vault: files are the truth, whoever changes them. */
const who = localPrincipal('test');
const DAY = 86_400_000;
const ALICE_PATH = 'entities/people/alice-chen.md';
const ALICE_ID = 'entity-people-alice-chen';

eachEngine('the vault', (engine) => {
  const open = async () => {
    const db = await freshDatabase(engine);
    return { db, ...freshBrain(db) };
  };
  const found = async (brain: ReturnType<typeof freshBrain>['brain'], query: string) =>
    (await (await brain.open()).look({ query, type: null, limit: 20 })).results.map(({ id }) => id);

  it('finds what was there before the first start', async () => {
    const { brain, file } = await open();
    file.write('entities/projects/ferry.md', '# Ferry\n\nSails at noon.\n');
    expect(await found(brain, 'sails at noon')).toEqual(['entity-projects-ferry']);
    expect(await (await brain.open()).show('entity-projects-ferry')).toMatchObject({
      credit_score: 0.5,
      tags: [],
      pinned: false,
      content: '# Ferry\n\nSails at noon.',
    });
  });

  it('takes the time of a file that says none from the disk, so that it grows old like others', async () => {
    const { brain, file, folder } = await open();
    file.write('entities/projects/old.md', 'Long forgotten.');
    utimesSync(
      join(folder, 'entities/projects/old.md'),
      new Date('2024-03-01T12:00:00Z'),
      new Date('2024-03-01T12:00:00Z'),
    );
    expect(await (await brain.open()).show('entity-projects-old')).toMatchObject({
      created_at: '2024-03-01T12:00:00Z',
      updated_at: '2024-03-01T12:00:00Z',
    });
    file.write('STRATEGY.md', '```yaml\ninitial_score: 0.5\nprune_threshold: 0.5\n```\n');
    await (await brain.open()).feedback(who, { signal: 'user_correction', ids: ['entity-projects-old'] });
    expect((await (await brain.open()).compact()).details).toEqual([
      expect.stringMatching(/^Archived 'entity-projects\/old'/),
    ]);
  });

  it('takes over edits, additions and deletions made by hand', async () => {
    const { brain, file, folder } = await open();
    await (await brain.open()).store(who, ALICE);
    file.write(
      ALICE_PATH,
      file
        .read(ALICE_PATH)
        .replace('vision transformers', 'compilers')
        .replace('pinned: false', 'pinned: true'),
    );
    file.write('episodes/2026-01/Träume am See.md', 'Ein Boot.\n');
    await brain.wake();
    expect(await found(brain, 'compilers')).toEqual([ALICE_ID]);
    expect(await found(brain, 'vision transformers')).not.toContain(ALICE_ID);
    expect((await (await brain.open()).show(ALICE_ID)).pinned).toBe(true);
    expect((await (await brain.open()).show('episode-2026-01-traume-am-see')).name).toBe('Träume am See');
    rmSync(join(folder, ALICE_PATH));
    await brain.wake();
    expect(await found(brain, 'compilers')).toEqual([]);
    expect((await (await brain.open()).report(10)).total_memories).toBe(1);
  });

  it('keeps id and credit of a file that was moved', async () => {
    const { brain, folder } = await open();
    await (await brain.open()).store(who, ALICE);
    await (await brain.open()).feedback(who, { signal: 'positive_feedback', ids: [ALICE_ID] });
    const before = await (await brain.open()).show(ALICE_ID);
    mkdirSync(join(folder, 'entities/projects'), { recursive: true });
    renameSync(join(folder, ALICE_PATH), join(folder, 'entities/projects/alice.md'));
    await brain.wake();
    expect(await (await brain.open()).show(ALICE_ID)).toMatchObject({
      path: 'entities/projects/alice.md',
      category: 'projects',
      credit_score: before.credit_score,
    });
    const again = (await brain.open()).store(who, ALICE);
    await expect(again).rejects.toThrow('Memory already exists at entities/projects/alice.md');
  });

  it('keeps score, use and decay of a file that was broken or away for a while', async () => {
    const clock = handClock(Date.UTC(2026, 1, 25, 10));
    const { brain, file, folder } = freshBrain(await freshDatabase(engine, { clock }));
    await (await brain.open()).store(who, ALICE);
    await (await brain.open()).retrieve(who, ALICE_ID);
    await (await brain.open()).retrieve(who, ALICE_ID);
    await (await brain.open()).feedback(who, { signal: 'positive_feedback', ids: [ALICE_ID] });
    clock.advance(5 * DAY);
    const before = await (await brain.open()).show(ALICE_ID);
    const text = file.read(ALICE_PATH);
    file.write(ALICE_PATH, text.replace('tags: [', 'tags: [[['));
    await brain.wake();
    expect((await (await brain.open()).report(1)).total_memories).toBe(0);
    file.write(ALICE_PATH, text);
    await brain.wake();
    expect(await (await brain.open()).show(ALICE_ID)).toEqual(before);
    rmSync(join(folder, ALICE_PATH));
    await brain.wake();
    clock.advance(30 * DAY);
    file.write(ALICE_PATH, text);
    await brain.wake();
    expect(await (await brain.open()).show(ALICE_ID)).toMatchObject({
      credit_score: before.credit_score,
      access_count: 2,
    });
  });

  it('does not bring a memory back beside another of its id', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    const text = file.read(ALICE_PATH);
    const archivePath = await (await brain.open()).archive(who, ALICE_ID);
    file.write('entities/people/alice.md', text);
    await brain.wake();
    await expect((await brain.open()).restore(who, { archivePath })).rejects.toThrow(
      'Memory already exists at entities/people/alice.md',
    );
    expect(file.read(archivePath)).toBe(text);
  });

  it('reads the file even before the index has caught up', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    file.write(ALICE_PATH, file.read(ALICE_PATH).replace('vision', 'language'));
    expect((await (await brain.open()).retrieve(who, ALICE_ID)).content).toContain('language transformers');
  });

  it('preserves unknown keys, comments and formatting when it updates', async () => {
    const { brain, file } = await open();
    const head = [
      '---',
      '# kept by hand',
      'id:   entity-people-bob',
      'aliases: [Bobby,   "B."]',
      'updated: 2020-01-01   # long ago',
      'tags:',
      '  - friend',
      '---',
    ];
    file.write('entities/people/bob.md', `${head.join('\r\n')}\r\n\r\nOld text\r\n`);
    await (await brain.open()).update(who, 'entity-people-bob', 'New text');
    const lines = file.read('entities/people/bob.md').split('\r\n');
    expect(lines.filter((_, i) => i !== 4).slice(0, 7)).toEqual(head.filter((_, i) => i !== 4));
    expect(lines[4]).toMatch(/^updated: 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ {3}# long ago$/);
    expect((await (await brain.open()).show('entity-people-bob')).content).toBe('New text');
  });

  it('reports malformed files, skips them, and never rewrites them', async () => {
    const { brain, file } = await open();
    const bad: Record<string, string | Buffer> = {
      'entities/people/unclosed.md': '---\nid: x\nno end',
      'entities/people/broken.md': '---\ntags: [a, b\n---\ntext',
      'entities/people/wrong.md': '---\npinned: perhaps\n---\ntext',
      'entities/recipes/soup.md': 'text',
      'episodes/someday/x.md': 'text',
      'entities/people/latin.md': Buffer.from([0x66, 0xfc, 0x72]),
    };
    for (const [path, text] of Object.entries(bad)) file.write(path, text);
    file.write('entities/people/fine.md', 'All is well.');
    await brain.wake();
    const { problems, total_memories } = await (await brain.open()).report(10);
    expect(total_memories).toBe(1);
    expect(problems.map(({ path }) => path)).toEqual(Object.keys(bad).toSorted());
    for (const { reason } of problems) expect(reason).not.toBe('');
    expect(file.read('entities/people/unclosed.md')).toBe(bad['entities/people/unclosed.md']);
    file.write('entities/people/wrong.md', '---\npinned: true\n---\ntext');
    await brain.wake();
    expect((await (await brain.open()).report(10)).problems).toHaveLength(5);
  });

  it('tells of a path longer than an index of PostgreSQL holds, and takes over the rest', async () => {
    const { brain, file, folder } = await open();
    const deep = Array.from({ length: 34 }, () => randomBytes(50).toString('hex')).join('/');
    file.write(`entities/people/${deep}/x.md`, 'text');
    file.write('entities/people/fine.md', `---\nid: ${'i'.repeat(3_000)}\n---\nAll is well.`);
    file.write('entities/people/bob.md', 'Bob sails.');
    for (const _ of ['seen', 'seen again']) {
      await brain.wake();
      const { problems, total_memories } = await (await brain.open()).report(10);
      expect(total_memories).toBe(1);
      expect(problems).toEqual([
        {
          path: expect.stringMatching(/^entities\/people\/.{184}… \(\w{12}\)$/),
          reason: 'its path is too long',
        },
        { path: 'entities/people/fine.md', reason: expect.stringContaining('id') },
      ]);
    }
    rmSync(join(folder, 'entities/people', deep.split('/')[0]!), { recursive: true });
    await brain.wake();
    expect((await (await brain.open()).report(10)).problems).toHaveLength(1);
  });

  it('refuses to update a file that a person broke meanwhile', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    file.write(ALICE_PATH, '---\nid: [\n---\nmine');
    await expect((await brain.open()).update(who, ALICE_ID, 'x')).rejects.toThrow(
      'was edited by hand and is left alone',
    );
    await expect((await brain.open()).retrieve(who, ALICE_ID)).rejects.toThrow(
      `${ALICE_PATH} cannot be read: the frontmatter is not valid YAML`,
    );
    expect(file.read(ALICE_PATH)).toBe('---\nid: [\n---\nmine');
  });

  it('reports the second of two files with one id', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    file.write('entities/people/alice-copy.md', file.read(ALICE_PATH));
    await brain.wake();
    const { problems, total_memories } = await (await brain.open()).report(10);
    expect([total_memories, problems]).toEqual([
      1,
      [{ path: 'entities/people/alice-copy.md', reason: `the id ${ALICE_ID} belongs to ${ALICE_PATH}` }],
    ]);
  });

  it('does not follow links out of the vault', async () => {
    const { brain, folder } = await open();
    const outside = freshFolder();
    writeFileSync(join(outside, 'secret.md'), 'launch codes');
    mkdirSync(join(folder, 'entities/people'), { recursive: true });
    symlinkSync(join(outside, 'secret.md'), join(folder, 'entities/people/secret.md'));
    symlinkSync(outside, join(folder, 'entities/projects'));
    expect(await found(brain, 'launch codes')).toEqual([]);
    expect((await (await brain.open()).report(5)).problems).toEqual([
      { path: 'entities/people/secret.md', reason: expect.stringContaining('links are not followed') },
    ]);
    await expect((await brain.open()).store(who, { ...ALICE, category: 'projects' })).rejects.toThrow(
      'leads out of the vault',
    );
    expect(existsSync(join(outside, 'alice-chen.md'))).toBe(false);
  });

  it.each(['entities', 'entities/people'])(
    'makes no folder through a link at %s, whether it leads out or in',
    async (place) => {
      const { brain, folder } = await open();
      const outside = freshFolder();
      for (const target of [outside, join(folder, 'elsewhere')]) {
        mkdirSync(target, { recursive: true });
        mkdirSync(dirname(join(folder, place)), { recursive: true });
        symlinkSync(target, join(folder, place));
        await expect((await brain.open()).store(who, ALICE)).rejects.toMatchObject({ code: 'forbidden' });
        expect(readdirSync(target)).toEqual([]);
        rmSync(join(folder, place));
      }
    },
  );

  it('finishes what a crash left also where something else lies by now, and clears away what was half written', async () => {
    const db = await freshDatabase(engine);
    let isCrashing = true;
    const fixture = freshBrain(db, {
      checkpoint: (name) => {
        if (isCrashing && name === 'intent') throw new Error('crash');
      },
    });
    await expect((await fixture.brain.open()).store(who, ALICE)).rejects.toThrow('crash');
    isCrashing = false;
    const place = join(fixture.folder, ALICE_PATH);
    fixture.file.write('entities/people/.0123456789abcdef.tmp', 'half');
    symlinkSync('/nowhere/at/all', place);
    await fixture.brain.wake();
    expect(readdirSync(dirname(place))).toEqual(['alice-chen.md']);
    expect((await (await fixture.brain.open()).report(1)).problems.map(({ path }) => path)).toEqual([
      ALICE_PATH,
    ]);
    rmSync(place);
    await (await fixture.brain.open()).store(who, ALICE);
    expect((await (await fixture.brain.open()).show(ALICE_ID)).content).toBe(ALICE.content);
  });

  it('knows files by their names in any script, composed or not, and tells names apart that mean one id', async () => {
    const { brain, file } = await open();
    file.write('entities/people/山田太郎.md', 'Taro bakes.');
    file.write(`entities/people/${'Zoë'.normalize('NFD')}.md`, 'Zoe swims.');
    file.write('entities/Projects/Ferry.md', 'Sails.');
    file.write('entities/projects/ferry.md', 'Sails too.');
    await brain.wake();
    expect((await (await brain.open()).show('entity-people-山田太郎')).content).toBe('Taro bakes.');
    expect(await found(brain, 'Zoë'.normalize('NFC'))).toEqual(['entity-people-zoe']);
    const { problems, total_memories } = await (await brain.open()).report(10);
    expect([total_memories, problems]).toEqual([
      3,
      [expect.objectContaining({ reason: expect.stringContaining('entity-projects-ferry belongs to') })],
    ]);
    await expect((await brain.open()).store(who, { ...ALICE, name: 'zoe' })).rejects.toThrow(
      'Memory already exists at',
    );
  });

  it('leaves no draft behind and nothing half done when the disk refuses', async () => {
    const { brain, folder } = await open();
    await (await brain.open()).store(who, ALICE);
    mkdirSync(join(folder, 'archive'), { recursive: true });
    writeFileSync(join(folder, 'archive/entities'), 'a file where a folder should be');
    await expect((await brain.open()).archive(who, ALICE_ID)).rejects.toMatchObject({ code: 'unavailable' });
    expect((await (await brain.open()).show(ALICE_ID)).credit_score).toBe(0.5);
    rmSync(join(folder, 'archive/entities'));
    expect(await (await brain.open()).archive(who, ALICE_ID)).toBe('archive/entities/people/alice-chen.md');
  });

  it('lets only one of two writers change a file, and both when they take turns', async () => {
    const place = await freshPlace(engine);
    const folder = freshFolder();
    const brains = [freshBrain(await place.open(), { folder }), freshBrain(await place.open(), { folder })];
    const made = await Promise.allSettled(
      brains.map(async ({ brain }) => (await brain.open()).store(who, ALICE)),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await Promise.all(
      brains.flatMap(({ brain }, i) =>
        [0, 1, 2].map(async (n) => (await brain.open()).store(who, { ...ALICE, name: `writer-${i}-${n}` })),
      ),
    );
    expect((await (await brains[0]!.brain.open()).report(1)).total_memories).toBe(7);
    expect((await (await brains[1]!.brain.open()).report(1)).total_memories).toBe(7);
  });

  it('sees in one process what another has just stored', async () => {
    const place = await freshPlace(engine);
    const folder = freshFolder();
    const [one, two] = [
      freshBrain(await place.open(), { folder }),
      freshBrain(await place.open(), { folder }),
    ];
    await two.brain.wake();
    await (await one.brain.open()).store(who, ALICE);
    expect(await found(two.brain, 'alice')).toEqual([ALICE_ID]);
    await (await one.brain.open()).archive(who, ALICE_ID);
    expect(await found(two.brain, 'alice')).toEqual([]);
  });

  it('does not take a folder that went away for memories that were deleted', async () => {
    const { brain, folder } = await open();
    await (await brain.open()).store(who, ALICE);
    renameSync(folder, `${folder}.away`);
    mkdirSync(folder);
    await expect(brain.wake()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('The vault is gone'),
    });
    await expect((await brain.open()).store(who, { ...ALICE, name: 'bob' })).rejects.toMatchObject({
      code: 'unavailable',
    });
    rmSync(folder, { recursive: true });
    renameSync(`${folder}.away`, folder);
    await brain.wake();
    expect((await (await brain.open()).show(ALICE_ID)).credit_score).toBe(0.5);
  });

  it('indexes nothing again when nothing changed', async () => {
    const { brain, db, folder } = await open();
    await (await brain.open()).store(who, ALICE);
    const head = await db.feed.head();
    utimesSync(join(folder, ALICE_PATH), new Date(), new Date());
    await brain.wake();
    await brain.wake();
    expect(await db.feed.head()).toBe(head);
  });
});
