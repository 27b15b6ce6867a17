// A project whose runs are in containers, on a runner: the runner's own config.yaml says so, and what its checkout borrows is there to be read.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { containerRecorder, podmanUser } from '../fixtures/container-recorder.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { PATIENCE } from '../fixtures/dispatch-hub.ts';
import { poolWorld } from '../fixtures/pool-world.ts';
import { realPodman } from '../fixtures/real-podman.ts';
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

it('the podman of this machine: a run in a container does its work, sees nothing else, and leaves none', async ({
  skip,
}) => {
  const podman = realPodman((why) => skip(why));
  const pool = await poolWorld({});
  const boat = newRepositoryWithCommit(join(freshFolder(), 'boat'));
  const work = [
    'echo made here > made.txt',
    'while read -r name rest; do case $name in CapEff:) echo "may $rest";; esac; done < /proc/self/status',
    'while read -r name rest; do case $name in *:) echo "net $name";; esac; done < /proc/net/dev',
    'for each in /bin/*; do echo "has $each"; done',
    '[ "$1" = stay ] && while :; do :; done',
    'exit 0',
  ].join('; ');
  const runner = await pool.runner('desktop', {
    agents: {
      boxed: { family: 'command', command: ['sh', '-c', work, 'sh', '{prompt}'], env: podman.env },
    },
    settings: { projects: { boat: { container: { image: podman.image } } } },
    args: ['--label', 'far'],
  });
  const send = (prompt: string) => pool.send(prompt, { instance: 'boxed', cwd: boat, needs: ['far'] });
  const id = await send('go');
  const { task, result } = await pool.wait(id);
  expect([task.status, task.error]).toEqual(['done', undefined]);
  expect(result.split('\n')).toEqual(['may 0000000000000000', 'net lo:', 'has /bin/sh']);
  const { worktree } = (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
  expect(git(boat, 'show', `${worktree.branch}:made.txt`)).toBe('made here');

  const stays = await send('stay');
  await expect.poll(() => pool.lines(stays), PATIENCE).toContain('has /bin/sh');
  const left = () => podman.ask('ps', '--all', '--quiet', '--filter', `label=holdfast.run=${stays}`);
  expect(left()).not.toBe('');
  await pool.ask('POST', `/v1/biam/tasks/${stays}/cancel`);
  expect((await pool.wait(stays)).task.status).toBe('cancelled');
  expect(left()).toBe('');
  runner.kill('SIGTERM');
  await runner.gone;
});
