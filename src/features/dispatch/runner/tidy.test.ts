import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../../test/fixtures/databases.ts';
import { commit, git, newRepositoryWithCommit } from '../../../../test/fixtures/repositories.ts';
import { silentLog } from '../../../kernel/log.ts';
import { tidyHome } from './tidy.ts';

it('of attempts that are over a runner keeps the newest work of each project, and no folder', async () => {
  const home = freshFolder();
  await tidyHome(home, silentLog);
  expect(readdirSync(home)).toEqual([]);
  const [cache, folder] = [join(home, 'git', 'one.git'), join(home, 'work', 'a-run', 'work')];
  for (const each of [cache, folder]) mkdirSync(each, { recursive: true });
  git(cache, 'init', '-q', '--bare');
  const from = newRepositoryWithCommit(join(freshFolder(), 'from'));
  const tips = ['a', 'b', 'c'].map((name) => {
    const tip = commit(from);
    git(cache, 'fetch', '-q', from, `main:refs/runs/${name}`);
    return tip;
  });
  const half = join(cache, 'objects', 'pack', 'tmp_pack_half');
  writeFileSync(half, 'half of one');
  await tidyHome(home, silentLog);
  expect(existsSync(half)).toBe(false);
  const kept = git(cache, 'for-each-ref', '--format=%(objectname)').split('\n');
  expect(kept).toHaveLength(1);
  expect(tips).toContain(kept[0]);
  expect(existsSync(join(home, 'work', 'a-run'))).toBe(false);
});
