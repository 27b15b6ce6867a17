import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readContainer } from '../../src/kernel/container-settings.ts';
import { containerRecorder, ids, podmanUser } from '../fixtures/container-recorder.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { dispatchHub } from '../fixtures/dispatch-hub.ts';

describe('an agent in a container', () => {
  it.each([
    ['podman', undefined, ['--network', 'none'], podmanUser],
    ['docker', 'models', ['--network', 'models'], ids],
    ['podman', true, [], podmanUser],
  ])('%s run, to the letter; network %s', async (program, network, net, user) => {
    const { bin, calls, read } = containerRecorder(program);
    const cwd = freshFolder();
    const hub = await dispatchHub('sqlite', {
      boxed: {
        family: 'command',
        command: ['agent', '--fast', '{prompt}'],
        cwd,
        env: { PATH: `${bin}:${process.env['PATH']}`, SECRET_KEY: 'not-on-a-line' },
        container: {
          program,
          image: 'registry.example/agents:1.2',
          mounts: ['/opt/tools:/opt/tools:ro', '/srv/cache:/cache'],
          ...(network !== undefined && { network }),
        },
      },
    });
    const done = await hub.run('Say hello.', 'boxed');
    expect(done).toMatchObject({ status: 'done', result: 'done' });
    const [run, rm] = calls();
    const name = run![run!.indexOf('--name') + 1]!;
    expect(name).toMatch(/^holdfast-[a-z0-9-]+$/);
    const tmp = join(hub.home, 'runs', done.task_id, 'tmp');
    const env = run!.flatMap((part, i) => (run![i - 1] === '--env' ? [part] : []));
    expect(env).toEqual(
      expect.arrayContaining(['HOLDFAST_RUN_ID', 'HOLDFAST_TOKEN', 'HOLDFAST_URL', 'SECRET_KEY', 'TMPDIR']),
    );
    expect(env).not.toContain('PATH');
    expect(env).not.toContain('HOME');
    expect(run).toEqual([
      'run',
      '--rm',
      '--interactive',
      '--name',
      name,
      '--label',
      `holdfast.run=${done.task_id}`,
      ...net,
      '--cap-drop',
      'all',
      '--security-opt',
      'no-new-privileges',
      ...user,
      '--volume',
      `${cwd}:${cwd}`,
      '--volume',
      `${tmp}:${tmp}`,
      '--volume',
      '/opt/tools:/opt/tools:ro',
      '--volume',
      '/srv/cache:/cache',
      '--workdir',
      cwd,
      ...env.flatMap((each) => ['--env', each]),
      'registry.example/agents:1.2',
      'agent',
      '--fast',
      'Say hello.',
    ]);
    expect(run!.join(' ')).not.toContain('not-on-a-line');
    expect(read('env')).toContain('SECRET_KEY=not-on-a-line');
    expect(rm).toEqual(['rm', '--force', ...(program === 'podman' ? ['--time', '0'] : []), name]);
  });

  it('without the program that starts containers it cannot be called, and says why', async () => {
    const boxed = { family: 'claude', env: { PATH: freshFolder() }, container: { image: 'agents' } };
    const hub = await dispatchHub('sqlite', { boxed });
    const { body } = await hub.ask('GET', '/v1/agents');
    expect(body.agents.find((each: any) => each.instance === 'boxed')).toMatchObject({
      callable: false,
      reason: "podman is not on the hub's PATH.",
    });
  });

  it.each([
    [{ image: '--privileged' }, 'the name of an image'],
    [{}, 'the name of an image'],
    [{ image: 'a', network: 'host' }, 'other than host'],
    [{ image: 'a', mounts: ['relative:/x'] }, 'absolute paths'],
    [{ image: 'a', mounts: ['/a:/b:exec'] }, 'absolute paths'],
    [{ image: 'a', mounts: ['/a,readonly:/b'] }, 'absolute paths'],
    [{ image: 'a', program: 'runc' }, 'one of podman, docker'],
    [{ image: 'a', flags: ['--privileged'] }, 'unknown key'],
  ])('refused: %j', (value, why) => expect(() => readContainer('agents.x.container', value)).toThrow(why));
});
