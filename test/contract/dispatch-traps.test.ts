// An agent that is kept to its worktree leaves something there for the git of the hub to run. It must not.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';
import { freshRepository } from '../fixtures/repository.ts';

const ME = 'git -c user.name=w -c user.email=w@example.invalid';
const TRAPS: readonly (readonly [string, string])[] = [
  [
    'a repository of its own in place of the worktree',
    'rm .git; git init -q; git config core.fsmonitor "$TRAP"',
  ],
  [
    'a link to a repository of its own',
    'git init -q aside; git -C aside config core.fsmonitor "$TRAP"; rm .git; echo "gitdir: $PWD/aside/.git" > .git',
  ],
  [
    'a repository within, as a submodule',
    `git init -q sub; ${ME} -C sub commit -q --allow-empty -m x; git add sub; ${ME} commit -qm sub; git -C sub config core.fsmonitor "$TRAP"; echo x > sub/x`,
  ],
  [
    'hooks in a folder of the project',
    'git config core.hooksPath .hooks; mkdir .hooks; for h in prepare-commit-msg post-commit post-index-change; do cp "$TRAP" .hooks/$h; done; echo x > x',
  ],
  ['a program to sign with', 'git config commit.gpgsign true; git config gpg.program "$TRAP"; echo x > x'],
  [
    'programs to filter and join files with',
    `git config filter.t.clean "$TRAP"; git config filter.t.smudge "$TRAP"; git config merge.default t; git config merge.t.driver "$TRAP"; echo '* filter=t' > .gitattributes; echo x > x`,
  ],
  [
    'a program to show differences with',
    'git config diff.external "$TRAP"; git config diff.t.textconv "$TRAP"; echo "* diff=t" > .gitattributes; echo x > README.md',
  ],
];

it.each(TRAPS)('the git of the hub does not run %s', async (_, script) => {
  const isReplaced = script.includes('rm .git');
  const aside = freshFolder();
  const [trap, sprung] = [join(aside, 'trap'), join(aside, 'sprung')];
  const prepare = `printf '#!/bin/sh\\nenv > ${sprung}\\n' > ${trap}; chmod +x ${trap}; TRAP=${trap}; ${script}`;
  const hub = await dispatchHub('sqlite', {
    trapper: { family: 'command', command: ['/bin/sh', '-c', prepare] },
  });
  const repository = freshRepository();
  const { id } = (await hub.ask('POST', '/api/board/tasks', { title: 'x' })).body;
  const started = await hub.ask('POST', '/v1/runs', {
    task_id: id,
    instance: 'trapper',
    project: repository.path,
  });
  const run = await hub.over(started.body.task.task_id);
  expect(run.status).toBe('done');
  const diff = await hub.ask('GET', `/v1/biam/tasks/${run.task_id}/diff`);
  const merge = await hub.ask('POST', `/v1/biam/tasks/${run.task_id}/merge`);
  expect([diff.status, merge.status]).toEqual(isReplaced ? [409, 409] : [200, 200]);
  expect(existsSync(trap)).toBe(true);
  expect(existsSync(sprung)).toBe(false);
});
