import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const REFUSAL = 'There is no project wbe. Did you mean web?';

/** A terminal in the repository `web`, which the hub knows. */
async function inWeb() {
  const folder = newRepositoryWithCommit(join(freshFolder(), 'web'));
  const terminal = openTerminal(undefined, freshHome(), folder);
  expect(await terminal.run('board', 'add', 'first')).toMatchObject({ code: 0 });
  return terminal;
}

it('what writes into a team that nobody has says which one was meant, and makes nothing', async () => {
  const { run, json } = await inWeb();
  for (const command of [
    ['board', 'add', 'x', '--team', 'wbe'],
    ['memory', 'save', 'x', 'y', '--team', 'wbe'],
    ['peer', 'register', '--backend', 'codex', '--team', 'wbe'],
    ['chat', 'post', 'wbe', 'hello'],
    ['chat', 'post', 'team:wbe', 'hello'],
  ]) {
    const { code, err } = await run(...command);
    expect([code, err], command.join(' ')).toEqual([
      3,
      expect.stringContaining(`${REFUSAL} \`--new\` makes one.`),
    ]);
  }
  expect(await json('project', 'list')).toMatchObject({ projects: [{ teamId: 'web' }] });
  expect(await json('chat', 'rooms')).toEqual({ rooms: [] });
});

it('what reads it says the same, without anything to make', async () => {
  const { run } = await inWeb();
  for (const command of [
    ['board', 'list', '--team', 'wbe'],
    ['board', 'claim', '--as', 'ada', '--team', 'wbe'],
    ['memory', 'search', 'x', '--team', 'wbe'],
    ['memory', 'list', '--team', 'wbe'],
    ['memory', 'stats', '--team', 'wbe'],
    ['memory', 'export', '--team', 'wbe'],
    ['peer', 'list', '--team', 'wbe'],
    ['search', 'x', '--team', 'wbe'],
    ['stats', '--team', 'wbe'],
    ['run', '--next', '--team', 'wbe'],
    ['policy', 'explain', 'Bash', '--team', 'wbe'],
    ['chat', 'tail', 'wbe', '--no-follow'],
  ]) {
    const { code, err } = await run(...command);
    expect([code, err], command.join(' ')).toEqual([3, expect.stringContaining(REFUSAL)]);
    expect(err, command.join(' ')).not.toContain('--new');
  }
});

it('--new makes it, and from then on it is known; tokens and the first of a hub may name what they like', async () => {
  const { run, json } = await inWeb();
  expect(await json('board', 'add', 'x', '--team', 'api', '--new')).toMatchObject({ teamId: 'api' });
  expect(await json('board', 'add', 'y', '--team', 'api')).toMatchObject({ teamId: 'api' });
  expect((await run('token', 'create', '--agent', 'ada', '--team', 'shop')).code).toBe(0);
  expect(await json('board', 'add', 'z', '--team', 'shop')).toMatchObject({ teamId: 'shop' });
  const fresh = openTerminal(undefined, freshHome(), '/');
  expect(await fresh.json('board', 'add', 'x', '--team', 'reef')).toMatchObject({ teamId: 'reef' });
  expect((await fresh.run('board', 'add', 'x', '--team', 'refe')).err).toContain('Did you mean reef?');
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
