import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import type { World } from '../../src/cli/world.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const REFUSAL = 'There is no project wbe. Did you mean web?';

/** What writes, or attaches a client that will. */
const WRITING = [
  'board add x --team wbe',
  'memory save x y --team wbe',
  'peer register --backend codex --team wbe',
  'chat post wbe hello',
  'chat post team:wbe hello',
  'connect claude-code --yes --team wbe',
  'connect claude-code --http --team wbe',
  'hooks print claude-code --team wbe',
  'hooks print claude-code --project --team wbe',
  'serve --team wbe',
  'mcp tasks --team wbe',
  'board sync --team wbe',
];

const edit = (verb: string) => `board ${verb} --where status=todo --team wbe`;
const READING = [
  'board list --team wbe',
  'board watch --team wbe',
  'board claim --as ada --team wbe',
  ...['edit --priority 3', 'move --to done', 'assign --to ada', 'label --add old'].map(edit),
  ...['done', 'cancel', 'block', 'unblock', 'reopen', 'drop', 'archive'].map(edit),
  'memory search x --team wbe',
  'memory list --team wbe',
  'memory stats --team wbe',
  'memory export --team wbe',
  'memory check --team wbe',
  'peer list --team wbe',
  'search x --team wbe',
  'stats --team wbe',
  'run --next --team wbe',
  'run x --team wbe',
  'policy explain Bash --team wbe',
  'chat tail wbe --no-follow',
  'connect claude-code --dry-run --team wbe',
];

/** What brings teams along may name new ones; a hook is never in the way of its client and has a test of its own. */
const FREE = ['token create', 'import', 'hooks run'];

/** A terminal in the repository `web`, which the running hub knows. */
async function inWeb() {
  const folder = newRepositoryWithCommit(join(freshFolder(), 'web'));
  const terminal = openTerminal(undefined, freshHome(), folder);
  const hub = terminal.start('up', '--port', '0', '--log', 'silent');
  onTestFinished(() => hub.interrupt().then(() => undefined));
  await vi.waitUntil(() => hub.lines.length > 0, 30_000);
  expect(await terminal.run('board', 'add', 'first')).toMatchObject({ code: 0 });
  return terminal;
}

it('what writes into a team that nobody has says which one was meant, and makes nothing', async () => {
  const { run, json, env } = await inWeb();
  for (const command of WRITING) {
    const { code, err } = await run(...command.split(' '));
    expect([code, err], command).toEqual([3, expect.stringContaining(`${REFUSAL} \`--new\` makes one.`)]);
  }
  expect(existsSync(join(env['HOME']!, '.claude.json'))).toBe(false);
  expect(await json('project', 'list')).toMatchObject({ projects: [{ teamId: 'web' }] });
  expect(JSON.stringify(await json('chat', 'rooms'))).not.toContain('wbe');
});

it('what reads it says the same, without anything to make', async () => {
  const { run } = await inWeb();
  for (const command of READING) {
    const { code, err } = await run(...command.split(' '));
    expect([code, err], command).toEqual([3, expect.stringContaining(REFUSAL)]);
    expect(err, command).not.toContain('--new');
  }
});

it('every command that takes a team is one of these', async () => {
  const { commands } = await createProgram({} as World);
  const taking = commands.flatMap(leavesOf).filter(({ options }) => options.some((o) => o.long === '--team'));
  const tried = [...WRITING, ...READING, ...FREE];
  for (const path of taking.map(pathOf))
    expect(
      tried.some((line) => line === path || line.startsWith(`${path} `)),
      path,
    ).toBe(true);
});

it('a hook with a mistyped team registers nobody and lets its client go on', async () => {
  const { env, json, run } = openTerminal();
  await run('board', 'add', 'first', '--team', 'web');
  const event = JSON.stringify({ hook_event_name: 'SessionStart', session_id: 's1', cwd: '/' });
  const { code, err } = runHoldfast(env, ['hooks', 'run', 'claude-code', '--team', 'wbe'], event);
  expect([code, err]).toEqual([0, expect.stringContaining(`${REFUSAL} \`--new\` makes one.`)]);
  expect(await json('peer', 'list', '--all')).toMatchObject({ peers: [] });
});

it('--new makes it, and from then on it is known; tokens and the first of a hub may name what they like', async () => {
  const { run, json } = await inWeb();
  expect(await json('board', 'add', 'x', '--team', 'api', '--new')).toMatchObject({ teamId: 'api' });
  expect(await json('board', 'add', 'y', '--team', 'api')).toMatchObject({ teamId: 'api' });
  expect((await run('connect', 'codex', '--yes', '--team', 'reef', '--new')).code).toBe(0);
  expect((await run('hooks', 'print', 'codex', '--team', 'reef')).code).toBe(0);
  expect((await run('token', 'create', '--agent', 'ada', '--team', 'shop')).code).toBe(0);
  expect(await json('board', 'add', 'z', '--team', 'shop')).toMatchObject({ teamId: 'shop' });
  const fresh = openTerminal(undefined, freshHome(), '/');
  expect(await fresh.json('board', 'add', 'x', '--team', 'reef')).toMatchObject({ teamId: 'reef' });
  expect((await fresh.run('board', 'add', 'x', '--team', 'refe')).err).toContain('Did you mean reef?');
});

it('what goes to others with a project makes the team in their hubs', async () => {
  const { run } = await inWeb();
  expect((await run('hooks', 'print', 'codex', '--project', '--team', 'web')).out).toContain(
    '--team web --new',
  );
  expect((await run('hooks', 'print', 'codex', '--team', 'web')).out).not.toContain('--new');
  const shown = await run('connect', 'claude-code', '--project', '--dry-run', '--team', 'web');
  expect(shown.out).toContain('"--new"');
});

it('a room of another kind is made by its first post only on purpose', async () => {
  const { run } = await inWeb();
  expect((await run('chat', 'post', 'ops:night', 'hello', '--new')).code).toBe(0);
  expect(await run('chat', 'post', 'ops:nihgt', 'hello')).toMatchObject({
    code: 3,
    err: expect.stringContaining('There is no room ops:nihgt. Did you mean ops:night? `--new` makes one.'),
  });
  expect((await run('chat', 'post', 'ops:night', 'again')).code).toBe(0);
});

function leavesOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap(leavesOf)];
}

function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}
