import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { displayWidth } from '../../src/cli/terminal/table.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTerminal } from '../fixtures/terminal.ts';

/** What a person reads at the terminal, apart from what the commands do. */

describe('an empty hub', () => {
  it.each([
    [['board', 'list'], 'No tasks. Add one with `holdfast board add <title>`.'],
    [['memory', 'search', 'kelp'], 'No fact in sight has any of these words.'],
    [['token', 'list'], 'Make one with `holdfast token create --agent <id>`.'],
    [['approvals'], 'Nothing is waiting for a decision.'],
    [['grants'], 'Nothing is allowed for always.'],
    [['audit'], 'No governed tool was called yet.'],
    [['audit', '--tool', 'echo'], 'No call matches.'],
    [['board', 'list', '--ready'], 'No task matches.'],
    [['peer', 'list', '--status', 'busy'], 'Nobody matches.'],
    [['policy', 'check'], 'the risk of each tool decides'],
    [['chat', 'rooms'], 'a room begins with its first post'],
    [['peer', 'list'], 'Nobody is registered.'],
  ])('%j says so on standard error, and nothing on standard output', async (args, message) => {
    const answer = await openTerminal().run(...args);
    expect([answer.code, answer.out]).toEqual([0, '']);
    expect(answer.err).toContain(message);
  });

  it('has a report without empty bars', async () => {
    expect((await openTerminal().run('brain', 'report')).out).toMatch(/^No memories yet\.[^\n]*$/);
  });
});

it('who finds nothing here is told what is open elsewhere', { timeout: 30_000 }, async () => {
  const env = openTerminal().env;
  const [reef, kelp] = [1, 2].map(() => openTerminal(undefined, env, freshFolder()));
  const { teamId } = await reef!.json<{ teamId: string }>('board', 'add', 'Paint the hull');
  const said = `1 open in ${teamId}; --all shows them.`;
  expect((await kelp!.run('board', 'list')).err).toBe(
    `No tasks. Add one with \`holdfast board add <title>\`.\n${said}`,
  );
  const claimed = await kelp!.run('board', 'claim', '--as', 'ada');
  expect([claimed.code, claimed.err]).toEqual([3, expect.stringContaining(said)]);
  const elsewhere = `1 in ${teamId}; --all shows them.`;
  for (const narrowed of [['--ready'], ['hull'], ['status:todo']])
    expect((await kelp!.run('board', 'list', ...narrowed)).err).toBe(`No task matches.\n${elsewhere}`);
  expect((await kelp!.run('board', 'list', 'nothing-like-it')).err).toBe('No task matches.');
  expect((await kelp!.run('search', 'hull')).err).toBe(
    'Nothing was found here, but 1 in other projects; --all shows them.',
  );
  expect((await kelp!.run('board', 'list', '--all')).out).toContain('Paint the hull');
  expect((await reef!.run('board', 'list')).out).toContain('Paint the hull');
});

describe('a refusal advises with commands, not with tools', () => {
  it.each([
    [['board', 'show', 'ffffffff'], 3, '`holdfast board list`'],
    [['board', 'done', 'ffffffff'], 3, '`holdfast board list`'],
    [['memory', 'show', 'ffffffff'], 3, '`holdfast memory search`'],
    [['memory', 'import', 'nowhere.md'], 3, 'Name a file'],
    [['brain', 'show', 'kelp'], 3, '`holdfast brain search`'],
    [['brain', 'good', 'kelp'], 3, '`holdfast brain search`'],
    [['brain', 'bad', 'entity-projects-kelp'], 3, '`holdfast brain search`'],
    [['brain', 'undo'], 3, 'Only the last one'],
    [['chat', 'tail', 'nowhere', '--no-follow'], 3, '`holdfast chat rooms`'],
    [['peer', 'send', 'nobody', 'hello'], 3, '`holdfast peer list`'],
    [['peer', 'deregister', 'nobody'], 3, '`holdfast peer list`'],
    [['chat', 'post', '', 'hello'], 2, 'must be a team'],
    [['memory', 'save', 'Nothing'], 2, 'There is nothing to save.'],
    [['memory', 'list', '--limit', 'many'], 2, '--limit must be a whole number'],
    [['memory', 'search', 'kelp', '--limit', 'many'], 2, '--limit must be a whole number'],
    [['memory', 'search', 'kelp', '--kind', 'weed'], 2, 'kind'],
    [['brain', 'store', 'nothing'], 2, 'There is nothing to save.'],
    [['serve', '--mcp-http'], 2, '--mcp-http goes with --listen only.'],
    [['up', '--port', '0', '--workspace', '/no/such/folder'], 2, 'name another one with --workspace'],
    [['serve', '--no-auth'], 2, '--no-auth goes with --listen only.'],
    [['hooks', 'print', 'emacs'], 2, 'Known: claude-code, codex, gemini, opencode.'],
    [['policy', 'explain', 'delete_path'], 2, 'path is required'],
    [['mcp', 'bogus'], 2, 'Allowed choices are tasks, memory, tools, teamchat, brain, hub.'],
    [['board', 'add'], 2, 'A task needs a title.'],
  ])('%j', async (args, code, message) => {
    const answer = await openTerminal().run(...args);
    expect([answer.code, answer.out]).toEqual([code, '']);
    expect(answer.err).toContain(message);
  });
});

describe('a database that is named and is not there', () => {
  const missing = () => join(freshFolder(), 'nowhere', 'typo.db');

  it.each([
    [['board', 'list']],
    [['board', 'show', 'ffffffff']],
    [['board', 'watch']],
    [['memory', 'search', 'kelp']],
    [['brain', 'report']],
    [['chat', 'rooms']],
    [['chat', 'tail', 'red']],
    [['peer', 'list']],
    [['token', 'list']],
    [['audit']],
    [['export', '-']],
  ])('%j refuses to read, and makes nothing', async (args) => {
    const database = missing();
    const answer = await openTerminal().run(...args, '--database', database);
    expect([answer.code, answer.out]).toEqual([3, '']);
    expect(answer.err).toContain(`There is no database at ${database}.\n  Check --database;`);
    expect(existsSync(dirname(database))).toBe(false);
  });

  it('is made by a command that writes, and read from then on', async () => {
    const { run } = openTerminal();
    const database = missing();
    expect((await run('board', 'add', 'first', '--database', database)).code).toBe(0);
    expect((await run('board', 'list', '--database', database)).out).toContain('first');
  });
});

it('hooks that would call a command that is not there say so', async () => {
  const { env } = openTerminal();
  const folder = freshFolder();
  const print = async () =>
    (await openTerminal(undefined, { ...env, PATH: folder }).run('hooks', 'print', 'codex', '--project')).err;
  expect(await print()).toContain('not on your path');
  writeFileSync(join(folder, 'holdfast'), '');
  expect(await print()).not.toContain('not on your path');
});

it('a memory cannot steer the terminal that shows it', async () => {
  const { run, json } = openTerminal();
  const { fact } = await json<{ fact: { id: string } }>(
    'memory',
    'save',
    'a\u001b[2Jb',
    'one\u001b]0;x\u0007\ntwo',
  );
  const { out } = await run('memory', 'show', fact.id);
  expect(out).not.toContain('\u001b');
  expect(out).toContain('\n  two\n');
});

it('an export of memories replaces no file unless it is told to', async () => {
  const { run } = openTerminal();
  const file = join(freshFolder(), 'mine.md');
  writeFileSync(file, 'mine');
  expect(await run('memory', 'export', file)).toMatchObject({
    code: 4,
    err: expect.stringContaining('--force'),
  });
  expect((await run('memory', 'export', file, '--force')).code).toBe(0);
});

it.each([60, 80, 120])('tables fit a terminal of %i columns, as rows or as blocks', async (columns) => {
  const { run } = openTerminal(columns);
  await run(
    'token',
    'create',
    '--agent',
    'ada',
    '--team',
    'red',
    '--label',
    'the laptop',
    '--expires',
    '30d',
  );
  await run('peer', 'register', '--backend', 'codex', '--name', 'ada', '--path', '/repo');
  await run('memory', 'save', 'Deploys happen on Tuesdays', 'Never on Friday');
  await run('board', 'add', 'Write a haiku about kelp', '--team', 'a-team-with-a-long-name', '--new');
  for (const args of [
    ['token', 'list'],
    ['peer', 'list'],
    ['memory', 'search', 'deploys'],
    ['board', 'list'],
  ]) {
    const { out } = await run(...args);
    for (const line of out.split('\n')) expect(displayWidth(line), line).toBeLessThanOrEqual(columns);
    expect(out, args.join(' ')).toMatch(/ada|Deploys|Write/);
  }
});

it('every command explains itself', async () => {
  const { run } = openTerminal();
  const names = [...(await run('--help')).out.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!);
  expect(names).toContain('board');
  for (const name of names)
    expect(await run(name, '--help'), name).toMatchObject({
      code: 0,
      out: expect.stringContaining('Usage: holdfast'),
    });
});
