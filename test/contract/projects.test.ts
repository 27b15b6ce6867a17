import { chmodSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { detect } from '../../src/features/projects/detect.ts';
import { createLocator } from '../../src/features/projects/locate.ts';
import { createProjects } from '../../src/features/projects/projects.ts';
import { projectOperations } from '../../src/features/projects/operations.ts';
import { createByFolder } from '../../src/features/projects/by-folder.ts';
import { behindProjects } from '../../src/features/projects/room.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal, type Principal } from '../../src/kernel/principal.ts';
import { eachEngine, freshFolder, freshPlace, type Place } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import { MODERN_META } from '../fixtures/modern-call.ts';
import { commit, git, newRepository, newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { restOf } from '../fixtures/rest-client.ts';
import { callerOf, createActing } from '../../src/store/calls.ts';
import { routesOf } from '../../src/operation/faces.ts';

/** One more process that looks for projects in the same database. */
async function openHouse(place: Place, waitMs?: number) {
  const db = await place.open();
  const projects = createProjects();
  const locator = createLocator({ db, projects, log: silentLog, ...(waitMs !== undefined && { waitMs }) });
  onTestFinished(() => locator.close());
  const list = (who: Principal = localPrincipal('')) =>
    db.read((q) => projects.at(q, callerOf({ who, via: 'route' })).list());
  const teamOf = async (folder: string) => (await locator.locate(folder))?.teamId;
  const keysOf = async (teamId: string, kind: string) =>
    (await list()).find((each) => each.teamId === teamId)!.keys!.filter((key) => key.kind === kind);
  return { db, projects, locator, list, teamOf, keysOf };
}

eachEngine('a project', (engine) => {
  const open = async () => ({ at: freshFolder(), ...(await openHouse(await freshPlace(engine))) });

  it('is a repository, in whatever folder of it one works', async () => {
    const { at, teamOf, list } = await open();
    const repository = newRepositoryWithCommit(join(at, 'Hold Fast'));
    mkdirSync(join(repository, 'src', 'deep'), { recursive: true });
    expect(await teamOf(repository)).toBe('hold-fast');
    expect(await teamOf(join(repository, 'src', 'deep'))).toBe('hold-fast');
    expect(await teamOf(join(repository, '.git', 'refs'))).toBe('hold-fast');
    symlinkSync(repository, join(at, 'elsewhere'));
    expect(await teamOf(join(at, 'elsewhere', 'src'))).toBe('hold-fast');
    expect(await list()).toMatchObject([{ teamId: 'hold-fast', name: 'Hold Fast' }]);
  });

  it('is one with its linked worktrees, whichever is seen first', async () => {
    const { at, teamOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    git(repository, 'worktree', 'add', '-q', join(at, 'wt', 'feature'));
    const fromWorktree = await teamOf(join(at, 'wt', 'feature'));
    expect([fromWorktree, await teamOf(repository)]).toEqual(['app', 'app']);
  });

  it('is one with its clones and clones of clones, by root commits alone', async () => {
    const { at, teamOf, list } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    git(at, 'clone', '-q', repository, 'second');
    git(at, 'clone', '-q', 'second', 'third');
    for (const clone of ['second', 'third']) git(join(at, clone), 'remote', 'remove', 'origin');
    expect([
      await teamOf(join(at, 'third')),
      await teamOf(repository),
      await teamOf(join(at, 'second')),
    ]).toEqual(['third', 'third', 'third']);
    expect(await list()).toHaveLength(1);
  });

  it('is one with clones that have no commit yet, by the folder they came from', async () => {
    const { at, teamOf, list } = await open();
    const repository = newRepository(join(at, 'app'));
    git(at, 'clone', '-q', repository, 'second');
    git(at, 'clone', '-q', 'second', 'third');
    expect([
      await teamOf(join(at, 'third')),
      await teamOf(repository),
      await teamOf(join(at, 'second')),
    ]).toEqual(['third', 'third', 'third']);
    expect(await list()).toHaveLength(1);
  });

  it('is one with every clone of the same remote, however that is written, and is called like it', async () => {
    const { at, teamOf, list } = await open();
    const [one, two] = [newRepository(join(at, 'a')), newRepository(join(at, 'b'))];
    git(one, 'remote', 'add', 'origin', 'https://ada:s3cret@example.test/org/Holdfast.git');
    git(two, 'remote', 'add', 'origin', 'git@example.test:org/Holdfast');
    expect([await teamOf(one), await teamOf(two)]).toEqual(['holdfast', 'holdfast']);
    expect(JSON.stringify(await list())).not.toContain('s3cret');
  });

  it('a shallow clone is found by its remote, and its cut history is never taken for roots', async () => {
    const { at, teamOf, keysOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    commit(repository, 'second');
    expect(await teamOf(repository)).toBe('app');
    git(at, 'clone', '-q', '--depth', '1', `file://${repository}`, 'shallow');
    expect((await detect(join(at, 'shallow'))).rootsAt).toBeUndefined();
    expect(await teamOf(join(at, 'shallow'))).toBe('app');
    expect(await keysOf('app', 'root')).toHaveLength(1);
    git(join(at, 'shallow'), 'remote', 'remove', 'origin');
    expect(await teamOf(join(at, 'shallow'))).toBe('app');
  });

  it('is found before its first commit, and keeps its name after it', async () => {
    const { at, teamOf, keysOf, locator } = await open();
    const repository = newRepository(join(at, 'app'));
    expect(await teamOf(repository)).toBe('app');
    expect(await keysOf('app', 'root')).toEqual([]);
    const root = commit(repository);
    expect(await teamOf(repository)).toBe('app');
    await expect.poll(() => keysOf('app', 'root')).toEqual([{ kind: 'root', value: root }]);
    git(at, 'clone', '-q', repository, 'clone');
    git(join(at, 'clone'), 'remote', 'remove', 'origin');
    expect((await locator.find(join(at, 'clone')))?.teamId).toBe('app');
  });

  it('has all its roots: several, and those of orphan branches', async () => {
    const { at, teamOf, keysOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    git(repository, 'checkout', '-q', '--orphan', 'pages');
    commit(repository, 'pages');
    git(repository, 'checkout', '-q', '--orphan', 'joined');
    commit(repository, 'joined');
    git(repository, 'merge', '-q', '--allow-unrelated-histories', '-s', 'ours', '-m', 'join', 'main');
    expect(await teamOf(repository)).toBe('app');
    expect(await keysOf('app', 'root')).toHaveLength(3);
    git(at, 'clone', '-q', '--single-branch', '-b', 'pages', `file://${repository}`, 'only-pages');
    git(join(at, 'only-pages'), 'remote', 'remove', 'origin');
    expect(await teamOf(join(at, 'only-pages'))).toBe('app');
  });

  it('may be bare, and be seen from the clone of it', async () => {
    const { at, teamOf } = await open();
    git(at, 'init', '-q', '--bare', 'app.git');
    expect(await teamOf(join(at, 'app.git'))).toBe('app');
    git(at, 'clone', '-q', join(at, 'app.git'), 'copy');
    expect(await teamOf(join(at, 'copy'))).toBe('app');
    git(at, 'clone', '-q', join(at, 'app'), 'other');
    expect(await teamOf(join(at, 'other'))).toBe('app');
  });

  it('may be a submodule: apart from what it lies in, one with its own clones', async () => {
    const { at, teamOf } = await open();
    const library = newRepositoryWithCommit(join(at, 'library'));
    const app = newRepositoryWithCommit(join(at, 'app'));
    git(app, 'submodule', '--quiet', 'add', library, 'vendor/lib');
    expect(await teamOf(app)).toBe('app');
    expect(await teamOf(join(app, 'vendor', 'lib'))).toBe('lib');
    expect(await teamOf(library)).toBe('lib');
    expect(await teamOf(join(app, 'vendor'))).toBe('app');
  });

  it('stays what it is when it is moved, by its history', async () => {
    const { at, teamOf, list } = await open();
    newRepositoryWithCommit(join(at, 'app'));
    expect(await teamOf(join(at, 'app'))).toBe('app');
    renameSync(join(at, 'app'), join(at, 'renamed'));
    expect(await teamOf(join(at, 'renamed'))).toBe('app');
    expect(await list()).toHaveLength(1);
  });

  it('may be a folder that is no repository, and stays the same when it becomes one or ceases to be', async () => {
    const { at, teamOf } = await open();
    const folder = join(at, 'notes');
    mkdirSync(folder);
    expect(await teamOf(folder)).toBe('notes');
    newRepository(folder);
    expect(await teamOf(folder)).toBe('notes');
    const later = newRepository(join(at, 'later'));
    expect(await teamOf(later)).toBe('later');
    rmSync(join(later, '.git'), { recursive: true });
    expect(await teamOf(later)).toBe('later');
  });

  it('a home and the root of the disk are none, unless they are repositories', async () => {
    const { at, teamOf, locator, list } = await open();
    const { HOME } = process.env;
    onTestFinished(() => void (process.env['HOME'] = HOME));
    process.env['HOME'] = at;
    expect([await teamOf('/'), await teamOf(at), await locator.find(at)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(await list()).toEqual([]);
    newRepository(at);
    expect(await teamOf(at)).toBeDefined();
  });

  it('a folder that is gone and a .git that leads nowhere are no error', async () => {
    const { at, teamOf } = await open();
    expect(await teamOf(join(at, 'gone'))).toBe('gone');
    for (const [name, text] of Object.entries({
      link: 'gitdir: /nowhere/at/all\n',
      junk: '\0\u0001',
      empty: '',
    })) {
      mkdirSync(join(at, name));
      writeFileSync(join(at, name, '.git'), text);
      expect(await teamOf(join(at, name))).toBe(name);
    }
    mkdirSync(join(at, 'hollow', '.git'), { recursive: true });
    expect(await teamOf(join(at, 'hollow'))).toBe('hollow');
  });

  it('the second repository of a name gets the next free slug', async () => {
    const { at, teamOf, list } = await open();
    const folders = ['a', 'b', 'c'].map((parent) => newRepositoryWithCommit(join(at, parent, 'app')));
    for (const [i, folder] of folders.entries())
      expect(await teamOf(folder)).toBe(i === 0 ? 'app' : `app-${i + 1}`);
    expect((await list()).map(({ name }) => name)).toEqual(['app', 'app-2', 'app-3']);
  });

  it('keys that lead to two projects: the git folder decides, and each key stays with its first', async () => {
    const { at, teamOf, list, keysOf } = await open();
    const [one, two] = [newRepository(join(at, 'one')), newRepository(join(at, 'two'))];
    expect([await teamOf(one), await teamOf(two)]).toEqual(['one', 'two']);
    for (const each of [one, two]) git(each, 'remote', 'add', 'origin', 'git@example.test:org/app');
    commit(one);
    await teamOf(one);
    await expect.poll(() => keysOf('one', 'root')).toHaveLength(1);
    git(two, 'pull', '-q', one, 'main');
    for (let i = 0; i < 2; i += 1) expect([await teamOf(one), await teamOf(two)]).toEqual(['one', 'two']);
    git(at, 'clone', '-q', two, 'three');
    // The root commit is the first one's, and outweighs the folder that was cloned.
    expect(await teamOf(join(at, 'three'))).toBe('one');
    expect(await list()).toHaveLength(2);
  });

  it('a foreign configuration cannot take the place of another repository', async () => {
    const { at, teamOf } = await open();
    const hostile = newRepositoryWithCommit(join(at, 'hostile'));
    git(hostile, 'remote', 'add', 'origin', join(at, 'gone', '..', 'victim', '.git'));
    expect(await teamOf(hostile)).toBe('hostile');
    git(hostile, 'remote', 'remove', 'origin');
    const victim = newRepositoryWithCommit(join(at, 'victim'));
    expect(
      (await detect(hostile)).own.some(({ kind, value }) => kind === 'git' && value.includes('victim')),
    ).toBe(false);
    expect((await detect(victim)).own.map(({ kind }) => kind)).toEqual(['git']);
  });

  it('processes that start at the same instant make one', async () => {
    const at = freshFolder();
    const place = await freshPlace(engine);
    const repository = newRepositoryWithCommit(join(at, 'app'));
    git(at, 'clone', '-q', repository, 'clone');
    const houses = await Promise.all(Array.from({ length: 4 }, () => openHouse(place)));
    const folders = [repository, join(at, 'clone')];
    const found = await Promise.all(houses.flatMap(({ teamOf }) => folders.map((folder) => teamOf(folder))));
    expect(new Set(found).size).toBe(1);
    expect(await houses[0]!.list()).toHaveLength(1);
  });

  it('does not wait for a history that takes long, and learns it later', async () => {
    const at = freshFolder();
    const { teamOf, keysOf } = await openHouse(await freshPlace(engine), 0);
    const repository = newRepositoryWithCommit(join(at, 'app'));
    expect(await teamOf(repository)).toBe('app');
    await expect.poll(() => keysOf('app', 'root')).toHaveLength(1);
  });

  it('closing while it is being found makes none, and leaves nothing running', async () => {
    const at = freshFolder();
    const { locator, list } = await openHouse(await freshPlace(engine));
    mkdirSync(join(at, 'bin'));
    writeFileSync(join(at, 'bin', 'git'), '#!/bin/sh\nexec /bin/sleep 30\n');
    chmodSync(join(at, 'bin', 'git'), 0o755);
    const repository = newRepositoryWithCommit(join(at, 'app'));
    const { PATH } = process.env;
    onTestFinished(() => void (process.env['PATH'] = PATH));
    process.env['PATH'] = join(at, 'bin');
    const finding = locator.locate(repository);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await locator.close();
    expect(await finding).toBeUndefined();
    expect(await list()).toEqual([]);
  });

  it('is found without any git installed', async () => {
    const { at, teamOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    const { PATH } = process.env;
    onTestFinished(() => void (process.env['PATH'] = PATH));
    process.env['PATH'] = join(at, 'nothing');
    expect(await teamOf(repository)).toBe('app');
    expect(await teamOf(repository)).toBe('app');
  });

  it('git that refuses a folder of doubtful ownership leaves it found, without roots', async () => {
    const { at, teamOf, keysOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    const { PATH } = process.env;
    onTestFinished(() => void (process.env['PATH'] = PATH));
    mkdirSync(join(at, 'bin'));
    // What git itself says to a folder of another user; the tests may not change owners.
    writeFileSync(
      join(at, 'bin', 'git'),
      '#!/bin/sh\necho "fatal: detected dubious ownership in repository" >&2\nexit 128\n',
    );
    chmodSync(join(at, 'bin', 'git'), 0o755);
    process.env['PATH'] = join(at, 'bin');
    expect(await teamOf(repository)).toBe('app');
    expect(await keysOf('app', 'root')).toEqual([]);
  });

  it('a path too long for an index is known by its digest', async () => {
    const { at, teamOf } = await open();
    const deep = join(at, ...Array.from({ length: 16 }, () => 'd'.repeat(200)));
    mkdirSync(deep, { recursive: true });
    const team = await teamOf(deep);
    expect(await teamOf(deep)).toBe(team);
    expect((await detect(deep)).own[0]!.value).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it('a copy of a repository shares its history, so it is the same', async () => {
    const { at, teamOf } = await open();
    const repository = newRepositoryWithCommit(join(at, 'app'));
    cpSync(repository, join(at, 'copy'), { recursive: true });
    expect([await teamOf(repository), await teamOf(join(at, 'copy'))]).toEqual(['app', 'app']);
  });
});

eachEngine('/api/projects', (engine) => {
  const open = async () => {
    const house = await openHouse(await freshPlace(engine));
    const acting = createActing(house.db);
    const behind = behindProjects(acting, house.projects, createByFolder(acting, house));
    const as = (who: Principal) => restOf(routesOf(behind, projectOperations), () => who);
    return { at: freshFolder(), as, person: as(localPrincipal('')) };
  };
  const agent = (team: string): Principal => ({
    ...localPrincipal('s', { team, agent: 'ada' }),
    kind: 'agent',
    id: 'ada',
  });

  it('finds, makes, lists and renames', async () => {
    const { at, person } = await open();
    const folder = newRepositoryWithCommit(join(at, 'app'));
    const look = () => person('GET', `/api/projects?folder=${encodeURIComponent(folder)}`);
    expect((await look()).body).toEqual({ projects: [], next: 'app' });
    const made = await person('POST', '/api/projects/resolve', { folder });
    expect(made).toMatchObject({ status: 200, body: { project: { teamId: 'app', name: 'app' } } });
    expect((await look()).body).toMatchObject({ projects: [{ teamId: 'app' }] });
    const renamed = await person('PATCH', '/api/projects/app', { name: 'The App' });
    expect(renamed.body).toMatchObject({ project: { teamId: 'app', name: 'The App' } });
    const { body } = await person('GET', '/api/projects');
    expect(body.projects).toMatchObject([{ teamId: 'app', name: 'The App' }]);
    expect(body.projects[0].keys).toContainEqual({ kind: 'git', value: join(folder, '.git') });
  });

  it('finds committed files of the known repositories by letters of their paths, for persons', async () => {
    const { at, person, as } = await open();
    const folder = newRepositoryWithCommit(join(at, 'app'));
    mkdirSync(join(folder, 'src/auth'), { recursive: true });
    for (const path of ['src/auth/login.ts', 'src/login-page.css', 'docs.md', 'be\x07ll.ts'])
      writeFileSync(join(folder, path), 'x\n');
    commit(folder, 'files');
    writeFileSync(join(folder, 'login.tmp'), 'not committed\n');
    await person('POST', '/api/projects/resolve', { folder });
    const find = async (query: string, who = person) => (await who('GET', `/api/files?${query}`)).body;
    expect(await find('q=LOGIN')).toEqual({
      files: [
        { project: 'app', folder, path: 'src/auth/login.ts' },
        { project: 'app', folder, path: 'src/login-page.css' },
      ],
    });
    expect((await find('q=auth%20log')).files).toMatchObject([{ path: 'src/auth/login.ts' }]);
    expect((await find('q=be%07')).files).toMatchObject([{ path: 'be\x07ll.ts' }]);
    expect((await find('q=login&limit=1')).files).toHaveLength(1);
    expect((await find('q=login&project=other')).files).toEqual([]);
    expect(await find('q=login', as(agent('app')))).toMatchObject({ code: 'forbidden' });
    // One that is gone takes nothing away from the others.
    await person('POST', '/api/projects/resolve', { folder: newRepositoryWithCommit(join(at, 'gone')) });
    rmSync(join(at, 'gone'), { recursive: true });
    expect((await find('q=login')).files).toHaveLength(2);
  });

  it.each([
    ['a relative folder', { folder: 'relative/path' }],
    ['NUL', { folder: '/a\0b' }],
    ['a path without end', { folder: `/${'x'.repeat(5000)}` }],
    ['no folder', {}],
    ['a folder and a team', { folder: '/a', teamId: 'b' }],
    ['a number', { folder: 7 }],
  ])('refuses %s', async (_, body) => {
    const { person } = await open();
    expect((await person('POST', '/api/projects/resolve', body)).status).toBe(400);
  });

  it('shows an agent its own project without the folders of the machine, and takes no folder from it', async () => {
    const { at, as, person } = await open();
    for (const name of ['red', 'blue']) {
      await person('POST', '/api/projects/resolve', { folder: newRepositoryWithCommit(join(at, name)) });
    }
    const red = as(agent('red'));
    const { body } = await red('GET', '/api/projects');
    expect(body.projects).toEqual([{ teamId: 'red', name: 'red', createdAt: expect.any(Number) }]);
    expect((await red('POST', '/api/projects/resolve', { folder: at })).status).toBe(403);
    expect((await red('GET', `/api/projects?folder=${encodeURIComponent(at)}`)).status).toBe(403);
    expect((await red('PATCH', '/api/projects/blue', { name: 'mine' })).status).toBe(404);
    expect((await person('PATCH', '/api/projects/green', { name: 'x' })).status).toBe(404);
    expect((await person('PATCH', '/api/projects/red', { name: 'a\u001b[2Jb' })).status).toBe(400);
    expect((await person('PATCH', '/api/projects/red', { name: ' ' })).status).toBe(400);
  });
});

it('a URL says which team its caller means, over REST and in both eras of MCP; what the call names beats it', async () => {
  const hub = await openTestHub();
  const path = '/api/mcp/tasks?defaultTeamId=red';
  const modern = async (args: object) => {
    const params = { name: 'create_task', arguments: args, _meta: MODERN_META };
    return (await hub.rpc(path, 'tools/call', params)).body.result.structuredContent.teamId as string;
  };
  expect(await modern({ title: 'x' })).toBe('red');
  expect(await modern({ title: 'x', teamId: 'blue' })).toBe('blue');
  const session = (await hub.rpc(path, 'initialize')).headers.get('mcp-session-id')!;
  const legacy = await hub.rpc(
    path,
    'tools/call',
    { name: 'create_task', arguments: { title: 'x' } },
    { session },
  );
  expect(legacy.body.result.structuredContent.teamId).toBe('red');
  const listed = async (query: string) =>
    (
      (await (await hub.fetch(`/api/board/tasks${query}`)).json()) as { tasks: { teamId: string }[] }
    ).tasks.map(({ teamId }) => teamId);
  expect(await listed('?defaultTeamId=red')).toEqual(['red', 'red']);
  expect(await listed('')).toHaveLength(3);
  expect((await hub.fetch('/api/board/tasks?defaultTeamId=a%07')).status).toBe(400);
});
