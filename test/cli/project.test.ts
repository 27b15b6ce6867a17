import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLocator } from '../../src/features/projects/locate.ts';
import { createProjects } from '../../src/features/projects/projects.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDatabase } from '../../src/store/open.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';
import { openTerminal } from '../fixtures/terminal.ts';

it('lists what is known with its folders, and renames what is shown', async () => {
  const terminal = openTerminal();
  expect(await terminal.run('project', 'list')).toMatchObject({ code: 0, out: '', err: expect.stringContaining('No project yet') });
  const folder = newRepositoryWithCommit(join(freshFolder(), 'app'));
  const db = await openDatabase(join(terminal.env['HOLDFAST_HOME']!, 'holdfast.db'));
  const locator = createLocator({ db, projects: createProjects(), log: silentLog });
  await locator.locate(folder);
  await locator.close();
  await db.close();
  expect((await terminal.run('project', 'list')).out.split('\n')[1]).toMatch(new RegExp(`^app +app +${folder} +\\d{4}-`));
  expect((await terminal.run('project', 'rename', 'app', 'The', 'App')).out).toBe('Project app is now called The App.');
  const { projects } = await terminal.json<{ projects: object[] }>('project', 'list');
  expect(projects).toMatchObject([{ teamId: 'app', name: 'The App', keys: [{ kind: 'git' }, { kind: 'root' }] }]);
  expect((await terminal.run('project', 'rename', 'nothing', 'x')).code).toBe(3);
});
