import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLocator } from '../../src/features/projects/locate.ts';
import { createProjects } from '../../src/features/projects/projects.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

it('lists what is known with its folders, and renames what is shown', async () => {
  const terminal = openTerminal();
  expect(await terminal.run('project', 'list')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('No project yet'),
  });
  const folder = newRepositoryWithCommit(join(freshFolder(), 'app'));
  const db = await openDatabase(join(terminal.env['HOLDFAST_HOME']!, 'holdfast.db'));
  const locator = createLocator({ db, projects: createProjects(), log: silentLog });
  await locator.locate(folder);
  await locator.close();
  await db.close();
  expect((await terminal.run('project', 'list')).out.split('\n')[1]).toMatch(
    new RegExp(`^app +app +${folder} +\\d{4}-`),
  );
  expect((await terminal.run('project', 'rename', 'app', 'The', 'App')).out).toBe(
    'Project app is now called The App.',
  );
  const { projects } = await terminal.json<{ projects: object[] }>('project', 'list');
  expect(projects).toMatchObject([
    { teamId: 'app', name: 'The App', keys: [{ kind: 'git' }, { kind: 'root' }] },
  ]);
  expect((await terminal.run('project', 'rename', 'nothing', 'x')).code).toBe(3);
});

/** Terminals of one person in two repositories, in a second working copy of the first, and at home. */
function openDesk() {
  const [env, at] = [freshHome(), freshFolder()];
  const [app, shop] = [newRepositoryWithCommit(join(at, 'app')), newRepositoryWithCommit(join(at, 'shop'))];
  git(app, 'worktree', 'add', '-q', join(at, 'wt'));
  const open = (cwd: string) => openTerminal(undefined, env, cwd);
  return { app: open(app), worktree: open(join(at, 'wt')), shop: open(shop), nowhere: open('/') };
}

describe('commands are about the project of the working folder', () => {
  it('tasks go into it; --team and --all say otherwise', async () => {
    const { app, worktree, nowhere } = openDesk();
    const added = async (terminal: typeof app, ...args: string[]) =>
      (await terminal.json<{ id: string; teamId: string | null }>('board', 'add', 'x', ...args)).teamId;
    expect(await added(app)).toBe('app');
    expect(await added(worktree)).toBe('app');
    expect(await added(app, '--team', 'red', '--new')).toBe('red');
    expect(await added(app, '--all')).toBeNull();
    expect(await added(nowhere)).toBeNull();
    const parent = await app.json<{ id: string }>('board', 'add', 'whole', '--team', 'red');
    expect(await added(app, '--parent', parent.id)).toBe('red');
  });

  it('its tasks are listed and claimed, beside those of no team, and those of others with --all', async () => {
    const { app, worktree, shop, nowhere } = openDesk();
    await shop.run('board', 'add', 'theirs', '--priority', '9');
    await app.run('board', 'add', 'ours');
    await nowhere.run('board', 'add', 'anybody’s');
    const listed = async (terminal: typeof app, ...args: string[]) =>
      (await terminal.json<{ tasks: { title: string }[] }>('board', 'list', ...args)).tasks
        .map(({ title }) => title)
        .sort();
    expect(await listed(worktree)).toEqual(['anybody’s', 'ours']);
    expect(await listed(app, '--team', 'shop')).toEqual(['theirs']);
    expect(await listed(app, '--all')).toEqual(['anybody’s', 'ours', 'theirs']);
    expect(await listed(nowhere)).toEqual(['anybody’s', 'ours', 'theirs']);
    const claim = (...args: string[]) => app.run('board', 'claim', '--as', 'ada', ...args);
    expect((await claim('--team', 'app')).out).toContain('ours');
    expect((await claim()).out).toContain('anybody’s');
    expect((await claim()).err).toContain('Nothing is ready');
    expect((await claim('--all')).out).toContain('theirs');
  });

  it('facts go into it and are found in it, beside what is global', async () => {
    const { app, worktree, shop, nowhere } = openDesk();
    await app.run('memory', 'save', 'Release', 'kelp is released on Tuesdays');
    await nowhere.run('memory', 'save', 'Everywhere', 'kelp grows everywhere');
    const found = async (terminal: typeof app, ...args: string[]) =>
      (await terminal.json<{ results: { title: string }[] }>('memory', 'search', 'kelp', ...args)).results
        .map(({ title }) => title)
        .sort();
    expect(await found(worktree)).toEqual(['Everywhere', 'Release']);
    expect(await found(shop)).toEqual(['Everywhere']);
    expect(await found(shop, '--team', 'app')).toEqual(['Everywhere', 'Release']);
    expect(await found(shop, '--all')).toEqual(['Everywhere', 'Release']);
  });

  it('its room needs no name', async () => {
    const { app, worktree, nowhere } = openDesk();
    expect((await app.run('chat', 'post', 'the tide turns')).out).toBe('Posted to team:app as 1.');
    expect((await worktree.run('chat', 'tail', '--no-follow')).out).toContain('the tide turns');
    expect((await app.run('chat', 'post', 'red', 'elsewhere', '--new')).out).toBe('Posted to team:red as 1.');
    expect((await nowhere.run('chat', 'post', 'lost')).code).toBe(2);
  });

  it('its sessions are shown, and those of others with --all', async () => {
    const { app, worktree, shop } = openDesk();
    await app.run('peer', 'register', '--backend', 'codex', '--name', 'ada', '--session', 's1');
    await shop.run('peer', 'register', '--backend', 'codex', '--name', 'bob', '--session', 's2');
    const names = async (terminal: typeof app, ...args: string[]) =>
      (await terminal.json<{ peers: { agent_id: string }[] }>('peer', 'list', ...args)).peers
        .map((each) => each.agent_id)
        .sort();
    expect(await names(worktree)).toEqual(['ada']);
    expect(await names(shop)).toEqual(['bob']);
    expect(await names(shop, '--all')).toEqual(['ada', 'bob']);
    expect(await names(shop, '--team', 'app')).toEqual(['ada']);
  });

  it('reading in a new repository makes no database where there is none', async () => {
    const { app } = openDesk();
    const missing = join(freshFolder(), 'none.db');
    for (const args of [
      ['board', 'list'],
      ['memory', 'search', 'x'],
      ['peer', 'list'],
      ['chat', 'tail', '--no-follow'],
    ])
      expect((await app.run(...args, '--database', missing)).code, args.join(' ')).toBe(3);
  });
});
