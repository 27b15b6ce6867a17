// What memory cites, looked up again in the files of whoever asks: their own tree, only what they may read, and in time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Cite } from '../../src/features/memory/cites/cite.ts';
import { createCiting } from '../../src/features/memory/cites/caller-cites.ts';
import { createFacts } from '../../src/features/memory/facts.ts';
import { createMemory } from '../../src/features/memory/memory.ts';
import { createSpaces } from '../../src/features/projects/projects.ts';
import { createWorkplaces } from '../../src/features/projects/workplaces.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, operatorPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { createMeaning } from '../../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../../src/recall/vectors/provider.ts';
import { createActing } from '../../src/store/calls.ts';
import type { Database } from '../../src/store/database.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { git, newRepository } from '../fixtures/repositories.ts';
import { makeScratch } from '../fixtures/scratch.ts';

const APP = `import { start } from './start.ts';

const PORT = 8080;

export function listen(host: string): void {
  const server = start(host, PORT);
  server.on('error', (error) => {
    console.error('cannot listen', error);
  });
}

export function stop(): void {
  console.log('stopped by nobody in particular');
}
`;

type World = Readonly<{ root: string; scratch: string; memory: ReturnType<typeof createMemory> }>;

const WORDS = 'listen host start server error cannot stop';

type Choice = Readonly<{ mayRead?: (who: Principal, path: string) => boolean; patienceMs?: number }>;

/** Patient, because machines that run tests are slow; what it costs is measured by the bench. */
function openWorld(db: Database, { mayRead, patienceMs = 10_000 }: Choice = {}): World {
  const scratch = makeScratch('test');
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const root = newRepository(join(scratch, 'repo'));
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/app.ts'), APP);
  writeFileSync(
    join(root, 'src/start.ts'),
    'export function start(): void {}\nexport const onlyOnce_here = 1;\n',
  );
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'first');
  const home = join(scratch, 'home');
  const workplaces = createWorkplaces({ home, workspace: undefined, find: async () => undefined });
  if (mayRead) workplaces.followRules(async (who, _place, path) => mayRead(who, path));
  const spaces = createSpaces({ scratch: join(home, 'workspace'), closed: [home] });
  const citing = createCiting({
    projects: { workplaces, checkoutOf: async () => undefined },
    spaces,
    log: silentLog,
    patienceMs,
  });
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  const memory = createMemory({ db, acting: createActing(db), facts: createFacts(), meaning, citing });
  return { root, scratch, memory };
}

const agentIn = (folder: string, name = 'ann'): Principal => ({
  ...localPrincipal(`seat ${name} ${folder}`, { team: 'red', agent: name }),
  folder,
});

async function citesNow({ memory }: World, who: Principal, query = WORDS): Promise<readonly Cite[]> {
  const desk = memory.via('tool');
  await desk.search(who, { query });
  await desk.settled();
  return (await desk.search(who, { query })).results[0]?.cites ?? [];
}

const save = (world: World, who: Principal, cites: string[] | undefined, content = `About ${WORDS}`) =>
  world.memory.via('tool').save(who, { title: 'Listening', content, ...(cites && { cites }) });

eachEngine('citations', (engine) => {
  it('say fresh, moved, changed and gone as the file is edited', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    const file = join(world.root, 'src/app.ts');
    await save(world, who, ['src/app.ts:5-10']);
    const at = { path: 'src/app.ts', from: 5, to: 10 };
    expect(await citesNow(world, who)).toEqual([{ ...at, state: 'fresh' }]);
    writeFileSync(file, APP.replaceAll('  ', '\t').replace('PORT);', 'PORT\n);'));
    expect(await citesNow(world, who)).toEqual([{ ...at, state: 'fresh' }]);
    writeFileSync(file, `// new\n// lines\n${APP}`);
    expect(await citesNow(world, who)).toEqual([
      { ...at, state: 'moved', now: { path: 'src/app.ts', from: 7, to: 12 } },
    ]);
    writeFileSync(file, APP.replace("'cannot listen'", "'no way to listen'"));
    expect(await citesNow(world, who)).toMatchObject([
      { ...at, state: 'changed', now: { path: 'src/app.ts' } },
    ]);
    writeFileSync(file, APP.split('\n').toSpliced(4, 6).join('\n'));
    expect(await citesNow(world, who)).toEqual([{ ...at, state: 'gone' }]);
  });

  it('follow a rename and a move to another file', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    await save(world, who, ['src/app.ts:5-10', 'src/app.ts']);
    git(world.root, 'mv', 'src/app.ts', 'src/listen.ts');
    expect(await citesNow(world, who)).toMatchObject([
      { state: 'moved', now: { path: 'src/listen.ts', from: 5, to: 10 } },
      { state: 'moved', now: { path: 'src/listen.ts' } },
    ]);
    const lines = APP.split('\n');
    writeFileSync(join(world.root, 'src/listen.ts'), lines.toSpliced(4, 6).join('\n'));
    writeFileSync(join(world.root, 'src/other.ts'), `// one\n${lines.slice(4, 10).join('\n')}\n`);
    git(world.root, 'add', '-A');
    git(world.root, 'commit', '-qm', 'moved');
    expect((await citesNow(world, who))[0]).toMatchObject({
      state: 'moved',
      now: { path: 'src/other.ts', from: 2, to: 7 },
    });
    git(world.root, 'rm', '-qf', 'src/other.ts');
    expect((await citesNow(world, who))[0]).toMatchObject({ state: 'gone' });
  });

  it('are judged in the tree of who asks, worktrees apart', async () => {
    const world = openWorld(await freshDatabase(engine));
    const tree = join(world.scratch, 'tree');
    git(world.root, 'worktree', 'add', '-q', tree);
    await save(world, agentIn(world.root), ['src/app.ts:3']);
    writeFileSync(join(tree, 'src/app.ts'), APP.replace('8080', '9090'));
    expect(await citesNow(world, agentIn(world.root))).toMatchObject([{ state: 'fresh' }]);
    expect(await citesNow(world, agentIn(tree, 'bob'))).toMatchObject([{ state: 'changed' }]);
    const other = newRepository(join(world.scratch, 'other'));
    expect(await citesNow(world, agentIn(other, 'cid'))).toMatchObject([{ state: 'unknown' }]);
    expect(await citesNow(world, localPrincipal('nowhere', { team: 'red' }))).toMatchObject([
      { state: 'unknown' },
    ]);
  });

  it('are found in the text, names that stand once included', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    await save(
      world,
      who,
      undefined,
      `${WORDS}: see src/app.ts:5-10 and src/start.ts, not node.js or missing.ts; \`onlyOnce_here\` is set, \`start\` is called`,
    );
    await world.memory.via('tool').settled();
    expect(await citesNow(world, who)).toEqual([
      { path: 'src/app.ts', from: 5, to: 10, state: 'fresh' },
      { path: 'src/start.ts', from: 1, to: 2, state: 'fresh' },
      { path: 'src/start.ts', from: 2, to: 2, state: 'fresh' },
    ]);
  });

  it.each([
    ['/etc/passwd'],
    ['../secret.txt'],
    ['src/../../secret.txt'],
    ['.env'],
    ['.git/config'],
    ['src/.hidden/a.ts'],
    ['keys/server.pem'],
    ['link.ts'],
    ['folder-link/secret.txt'],
    ['~/x.ts'],
    ['src/missing.ts'],
    ['src/app.ts:900'],
    ['src'],
    ['SRC/../../secret.txt'],
    ['.GIT/config'],
    ['keys/SERVER.PEM'],
    ['config-link'],
    ['pipe.ts'],
    ['zero.ts'],
    ['loop.ts'],
    ['C:\\x.ts'],
  ])('refuse %s', async (cite) => {
    const world = openWorld(await freshDatabase(engine));
    const { root, scratch } = world;
    writeFileSync(join(scratch, 'secret.txt'), 'a secret line\nanother\n');
    writeFileSync(join(root, '.env'), 'TOKEN=abc\n');
    mkdirSync(join(root, 'keys'));
    mkdirSync(join(root, 'src/.hidden'));
    writeFileSync(join(root, 'src/.hidden/a.ts'), 'const a = 1;\n');
    writeFileSync(join(root, 'keys/server.pem'), 'x\n');
    symlinkSync(join(scratch, 'secret.txt'), join(root, 'link.ts'));
    symlinkSync(scratch, join(root, 'folder-link'));
    writeFileSync(join(root, 'keys/SERVER.PEM'), 'x\n');
    // What is hidden stays so under another name, and what is no file keeps nobody waiting.
    symlinkSync('.git/config', join(root, 'config-link'));
    execFileSync('mkfifo', [join(root, 'pipe.ts')]);
    symlinkSync('/dev/zero', join(root, 'zero.ts'));
    symlinkSync('loop.ts', join(root, 'loop.ts'));
    await expect(save(world, agentIn(root), [cite])).rejects.toMatchObject({ code: 'invalid' });
  });

  it('never follow a file that became a link out of the project, nor read what policy keeps back', async () => {
    let isOpen = true;
    const world = openWorld(await freshDatabase(engine), {
      mayRead: (_who, path) => isOpen || path !== 'src/app.ts',
    });
    const who = agentIn(world.root);
    await save(world, who, ['src/app.ts:5-10']);
    isOpen = false;
    expect(await citesNow(world, who)).not.toMatchObject([{ state: 'fresh' }]);
    isOpen = true;
    writeFileSync(join(world.scratch, 'outside.ts'), APP);
    rmSync(join(world.root, 'src/app.ts'));
    symlinkSync(join(world.scratch, 'outside.ts'), join(world.root, 'src/app.ts'));
    expect((await citesNow(world, who))[0]!.state).not.toBe('fresh');
    const blind = { ...who, scopes: new Set(['memory:read']) };
    expect(await citesNow(world, blind)).toMatchObject([{ state: 'unknown' }]);
  });

  it('never wait for what took the place of a file: a pipe, a device, a folder', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    const file = join(world.root, 'src/app.ts');
    await save(world, who, ['src/app.ts:5-10']);
    const places: readonly ((at: string) => unknown)[] = [
      (at) => execFileSync('mkfifo', [at]),
      (at) => symlinkSync('/dev/zero', at),
      (at) => mkdirSync(at),
    ];
    for (const put of places) {
      rmSync(file, { recursive: true });
      put(file);
      expect((await citesNow(world, who))[0]!.state).toBe('gone');
    }
    rmSync(file, { recursive: true });
    writeFileSync(file, APP);
    expect((await citesNow(world, who))[0]!.state).toBe('fresh');
  });

  it('rank what changed after what is fresh and as good', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    const desk = world.memory.via('tool');
    const old = await desk.save(who, {
      title: 'Listening',
      content: 'The server listens here',
      cites: ['src/app.ts:3'],
    });
    const fine = await desk.save(who, {
      title: 'Listening',
      content: 'The server listens there',
      cites: ['src/app.ts:5'],
    });
    const order = async () => {
      await desk.search(who, { query: 'server listens' });
      await desk.settled();
      return (await desk.search(who, { query: 'server listens' })).results.map(({ id }) => id);
    };
    const before = await order();
    const [was, now] =
      before[0] === old.fact!.id
        ? ['PORT = 8080', 'PORT = 9090']
        : ['listen(host: string)', 'listen(port: string)'];
    writeFileSync(join(world.root, 'src/app.ts'), APP.replace(was, now));
    expect(await order()).toEqual(before.toReversed());
    expect(before.toSorted()).toEqual([old.fact!.id, fine.fact!.id].toSorted());
  });

  it('are kept for a procedure, taken anew by who confirms, and walked by a check', async () => {
    const world = openWorld(await freshDatabase(engine));
    const who = agentIn(world.root);
    const desk = world.memory.via('tool');
    const { fact } = await save(world, who, ['src/app.ts:3']);
    await desk.save(who, { procedureName: 'start it', content: 'Call src/app.ts:5 first' });
    writeFileSync(join(world.root, 'src/app.ts'), APP.replace('8080', '9090'));
    const states = async () => {
      const facts = await desk.check(who, {});
      const rest = await desk.check(who, { after: facts.next! });
      return [...facts.checked, ...rest.checked].map(({ kind, cites }) => [
        kind,
        cites.map(({ state }) => state),
      ]);
    };
    expect(await states()).toEqual([
      ['fact', ['changed']],
      ['procedure', ['fresh']],
    ]);
    expect(await desk.confirm(who, fact!.id)).toMatchObject({
      confirmed: { by: 'ann' },
      cites: [{ path: 'src/app.ts', from: 3, to: 3, state: 'fresh' }],
    });
    expect((await states())[0]).toEqual(['fact', ['fresh']]);
    const { procedure } = await desk.procedure(who, { name: 'start it' });
    expect(procedure.cites).toMatchObject([{ path: 'src/app.ts', state: 'fresh' }]);
  });

  it('keep no answer waiting for files', async () => {
    const world = openWorld(await freshDatabase(engine), { patienceMs: 0 });
    const who = agentIn(world.root);
    await save(world, who, ['src/app.ts:3']);
    const desk = world.memory.via('tool');
    expect((await desk.search(who, { query: WORDS })).results[0]!.cites).toMatchObject([
      { state: 'unknown' },
    ]);
  });

  it('let only a person name a folder', async () => {
    const world = openWorld(await freshDatabase(engine));
    await save(world, agentIn(world.root), ['src/app.ts:3']);
    const asked = { query: WORDS, folder: join(world.root, 'src') };
    const desk = world.memory.via('route');
    expect((await desk.search(operatorPrincipal, asked)).results[0]!.cites).toMatchObject([
      { state: 'fresh' },
    ]);
    const answer = await desk.search({ ...agentIn(world.scratch), kind: 'agent' }, asked);
    expect(answer.results[0]!.cites).toMatchObject([{ state: 'unknown' }]);
  });
});
