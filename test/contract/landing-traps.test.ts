// Landing over a repository in which everything that git can be told to run is a trap: none is sprung.
import { afterEach, expect, it } from 'vitest';
import { freshFolder, freshPlace } from '../fixtures/databases.ts';
import { openAt } from '../fixtures/dispatch-hub.ts';
import { CHECKS, landingsOf } from '../fixtures/landing-hub.ts';
import { lines, trapRepository } from '../fixtures/trap-repository.ts';

afterEach(() => void delete process.env['GIT_CONFIG_GLOBAL']);

it.each(['merge', 'rebase', 'squash'])(
  '%s runs no program of the repository',
  { timeout: 120_000 },
  async (how) => {
    const repository = trapRepository();
    const settings = { land: { '*': { unconfined: true, how } } };
    const hub = await openAt(await freshPlace('sqlite'), freshFolder(), {}, settings);
    repository.disarm();
    const at = await landingsOf(hub, repository, CHECKS);
    const good = await at.branch('good', { 'new.txt': 'work\n', 'new.dat': 'work\n' });
    const other = await at.branch('other', { 'a.txt': `other\n${lines('base', 30)}` });
    const bad = await at.branch('bad', { 'bad-file': '' });
    const late = await at.branch('late', { 'a.txt': `late\n${lines('base', 30)}` });
    repository.arm();
    for (const [task, state] of [
      [good, 'landed'],
      [other, 'landed'],
      [bad, 'failed'],
      [late, 'conflict'],
    ] as const)
      expect(await at.landed(task)).toMatchObject({ state });
    expect(repository.sprung()).toEqual([]);
  },
);
