import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { handClock } from '../fixtures/board-host.ts';
import { ALICE, filesOf, freshBrain } from '../fixtures/brain-host.ts';
import { eachEngine, freshDatabase, freshFolder, freshPlace } from '../fixtures/databases.ts';

/** Compaction on a real vault; what it decides is proven in src/features/brain/compaction/plan.test.ts. */
const who = localPrincipal('test');
const DAY = 86_400_000;
const episode = (name: string, content: string, tags = ['auth']) =>
  ({ type: 'episode', category: '', name, content, tags, pinned: false }) as const;

eachEngine('a compaction', (engine) => {
  const open = async (onCheckpoint: (name: string, folder: string) => void = () => undefined) => {
    const clock = handClock(Date.UTC(2026, 1, 25, 10));
    const folder = freshFolder();
    const fixture = freshBrain(await freshDatabase(engine, { clock }), {
      folder,
      checkpoint: (name) => onCheckpoint(name, folder),
    });
    return { ...fixture, clock };
  };

  it('promotes a praised fact to the entity it speaks of', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    const { id } = await (
      await brain.open()
    ).store(
      who,
      episode('standup', '- Alice Chen owns the deploy script\n- [ ] a todo\n- What about tests?'),
    );
    for (let i = 0; i < 6; i++)
      await (await brain.open()).feedback(who, { signal: 'task_completed', ids: [id], key: `k${i}` });
    expect(await (await brain.open()).compact()).toEqual({
      consolidated: 0,
      promoted: 1,
      pruned: 0,
      details: ["Promoted fact from episode to entity 'people/alice-chen'"],
    });
    expect(file.read('entities/people/alice-chen.md')).toMatch(
      /## Learned\n\n- Alice Chen owns the deploy script \(from episode-2026-02-standup\)\n$/,
    );
    expect(
      (await (await brain.open()).look({ query: 'who owns the deploy script', type: 'entity', limit: 5 }))
        .results[0]?.id,
    ).toBe('entity-people-alice-chen');
    expect((await (await brain.open()).compact()).details).toEqual([]);
  });

  it('taken back leaves files, scores and counters as they were', async () => {
    const { brain, clock } = await open();
    const ids = [];
    for (const name of ['one', 'two'])
      ids.push((await (await brain.open()).store(who, episode(name, `about ${name}`))).id);
    await (await brain.open()).retrieve(who, ids[0]!);
    await (await brain.open()).feedback(who, { signal: 'positive_feedback', ids: [ids[0]!] });
    clock.advance(3 * DAY);
    const before = await Promise.all(ids.map(async (id) => (await brain.open()).show(id)));
    const { details } = await (await brain.open()).compact();
    expect(details).toHaveLength(1);
    await expect((await brain.open()).show(ids[0]!)).rejects.toThrow('Memory not found');
    expect(await (await brain.open()).undo()).toEqual({ undone: 1, details: [`Taken back: ${details[0]}`] });
    expect(await Promise.all(ids.map(async (id) => (await brain.open()).show(id)))).toEqual(before);
    await expect((await brain.open()).undo()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('cut short and gone on with later is taken back as one', async () => {
    let left = 2;
    const { brain, folder, clock } = await open((name) => {
      if (name === 'commit' && --left === 0) throw new Error('crash');
    });
    left = Infinity;
    for (const name of ['first', 'second', 'third'])
      await (await brain.open()).store(who, { ...ALICE, category: 'projects', name });
    clock.advance(200 * DAY);
    left = 2;
    await expect((await brain.open()).compact()).rejects.toThrow('crash');
    left = Infinity;
    expect((await (await brain.open()).compact()).pruned).toBe(1);
    expect((await (await brain.open()).undo()).undone).toBe(3);
    for (const name of ['first', 'second', 'third'])
      expect(existsSync(join(folder, `entities/projects/${name}.md`))).toBe(true);
    await expect((await brain.open()).undo()).rejects.toMatchObject({ code: 'not_found' });
  });

  it('leaves to a person what they edited since, when it is taken back', async () => {
    const { brain, folder, file } = await open();
    for (const name of ['one', 'two']) await (await brain.open()).store(who, episode(name, `about ${name}`));
    const [, merged] = /into '([^']+)'/.exec((await (await brain.open()).compact()).details[0]!)!;
    const path = `episodes/2026-02/${merged}.md`;
    file.write(path, `${file.read(path)}\nmy own words\n`);
    const { undone, details } = await (await brain.open()).undo();
    expect([undone, details[0]]).toEqual([0, expect.stringContaining('Left as it is: Merged 2 episodes')]);
    expect(file.read(path)).toContain('my own words');
    expect(existsSync(join(folder, 'episodes/2026-02/one.md'))).toBe(false);
  });

  it('leaves out a step whose file somebody edits meanwhile', async () => {
    const edited = 'entities/projects/second.md';
    let isEdited = false;
    const { brain, file, clock } = await open((name, folder) => {
      if (name !== 'file archive/entities/projects/first.md' || isEdited) return;
      isEdited = true;
      filesOf(folder).write(edited, 'I was just here.');
    });
    for (const name of ['first', 'second'])
      await (await brain.open()).store(who, { ...ALICE, category: 'projects', name });
    clock.advance(200 * DAY);
    const { pruned, details } = await (await brain.open()).compact();
    expect(pruned).toBe(1);
    expect(details[1]).toMatch(/^Left out: Archived 'entity-projects\/second'/);
    expect(file.read(edited)).toBe('I was just here.');
  });

  it('never touches what is pinned', async () => {
    const { brain, clock, folder } = await open();
    for (const name of ['one', 'two', 'three'])
      await (await brain.open()).store(who, { ...episode(name, `about ${name}`), pinned: name !== 'three' });
    clock.advance(300 * DAY);
    expect((await (await brain.open()).compact()).details).toEqual([
      expect.stringContaining('episode-2026-02/three'),
    ]);
    expect(existsSync(join(folder, 'episodes/2026-02/one.md'))).toBe(true);
  });

  it('asked for twice at once happens once', async () => {
    const place = await freshPlace(engine);
    const folder = freshFolder();
    const [one, two] = [
      freshBrain(await place.open(), { folder }),
      freshBrain(await place.open(), { folder }),
    ];
    for (const name of ['one', 'two', 'three'])
      await (await one.brain.open()).store(who, episode(name, `about ${name}`));
    const answers = await Promise.all([
      (await one.brain.open()).compact(),
      (await two.brain.open()).compact(),
    ]);
    expect(answers.map(({ consolidated }) => consolidated).toSorted()).toEqual([0, 3]);
    expect((await (await two.brain.open()).report(1)).total_memories).toBe(1);
  });

  it('writes MEMORY.md, and STRATEGY.md when there is none', async () => {
    const { brain, file } = await open();
    await (await brain.open()).store(who, ALICE);
    await (await brain.open()).compact();
    expect(file.read('MEMORY.md')).toContain(
      '- **alice-chen** (entity-people-alice-chen): ML engineer at the lab',
    );
    expect(file.read('STRATEGY.md')).toContain('prune_threshold: 0.2');
  });
});
