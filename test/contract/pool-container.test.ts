// A project whose runs are in containers, on a runner: the runner's own config.yaml says so, and what its checkout borrows is there to be read.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { containerRecorder, podmanUser } from '../fixtures/container-recorder.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { poolWorld } from '../fixtures/pool-world.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

it('runs of a project are in its container, to the letter, and those of others are not', async () => {
  const { bin, calls, read } = containerRecorder('podman');
  const pool = await poolWorld({});
  const [boat, other] = ['boat', 'other'].map((name) => newRepositoryWithCommit(join(freshFolder(), name)));
  const known = join(freshFolder(), 'known');
  git(boat!, 'clone', '-q', '--no-hardlinks', boat!, known);
  const runner = await pool.runner('desktop', {
    agents: {
      boxed: {
        family: 'command',
        command: ['sh', '-c', 'echo on the machine', 'sh', '{prompt}'],
        env: { PATH: `${bin}:${process.env['PATH']}`, SECRET_KEY: 'not-on-a-line' },
      },
    },
    settings: {
      projects: {
        boat: { container: { image: 'registry.example/boat:2', mounts: ['/srv/cache:/cache:ro'] } },
      },
    },
    args: ['--label', 'far', '--project', `boat=${known}`],
  });
  const send = (cwd: string) => pool.send('Say hello.', { instance: 'boxed', cwd, needs: ['far'] });
  const outside = await pool.wait(await send(other!));
  expect([outside.task.project, outside.result]).toEqual(['other', 'on the machine']);
  const id = await send(boat!);
  const { task, result } = await pool.wait(id);
  expect(task).toMatchObject({ status: 'done', project: 'boat', attempt: 1 });
  expect(result).toBe('done');

  const [run, rm, ...more] = calls();
  expect(more).toEqual([]);
  const name = run![run!.indexOf('--name') + 1]!;
  const folder = join(runner.home, 'runner', 'desktop', 'work', id);
  const [cwd, tmp] = [join(folder, 'work'), join(folder, 'tmp')];
  const after = (flag: string) => run!.flatMap((part, i) => (run![i - 1] === flag ? [part] : []));
  const cache = after('--volume').find((each) => /\/git\/[^/]+\.git\/objects:/.test(each))!;
  expect(cache.startsWith(join(runner.home, 'runner', 'desktop', 'git'))).toBe(true);
  expect(run).toEqual([
    'run',
    '--rm',
    '--interactive',
    '--name',
    name,
    '--label',
    `holdfast.run=${id}`,
    '--network',
    'none',
    '--cap-drop',
    'all',
    '--security-opt',
    'no-new-privileges',
    ...podmanUser,
    '--volume',
    `${cwd}:${cwd}`,
    '--volume',
    `${tmp}:${tmp}`,
    '--volume',
    cache,
    '--volume',
    `${join(known, '.git', 'objects')}:${join(known, '.git', 'objects')}:ro`,
    '--volume',
    '/srv/cache:/cache:ro',
    '--workdir',
    cwd,
    ...after('--env').flatMap((each) => ['--env', each]),
    'registry.example/boat:2',
    'sh',
    '-c',
    'echo on the machine',
    'sh',
    'Say hello.',
  ]);
  expect(cache).toMatch(/^([^:]+):\1:ro$/);
  expect(after('--env')).toEqual(expect.arrayContaining(['HOLDFAST_RUN_ID', 'HOLDFAST_TOKEN', 'SECRET_KEY']));
  expect(run!.join(' ')).not.toContain('not-on-a-line');
  expect(read('env')).toContain('SECRET_KEY=not-on-a-line');
  expect(rm).toEqual(['rm', '--force', '--time', '0', name]);
});
