// What leaves the machine: a target that is pushed, and pull requests.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { stringify } from 'yaml';
import { whyUnsafe } from '../../src/kernel/git/remote.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { type GitServer, startGitServer } from '../fixtures/git-server.ts';
import { isAlive, PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { CHECKS, gatedCheck, landingHub, type LandingHub } from '../fixtures/landing-hub.ts';
import { freshRepository } from '../fixtures/repository.ts';
import { restAt } from '../fixtures/rest-client.ts';
import { startTorturedHub } from '../torture/dispatch-hub.ts';

const LONG = { timeout: 120_000 };
const TOKEN = 't'.repeat(40);
const AS_EVE = ['-c', 'user.name=eve', '-c', 'user.email=eve@example.invalid'];
const FAKE_GH = fileURLToPath(new URL('../fixtures/fake-gh.mjs', import.meta.url));

/** The person's own machine: global settings of git with a credential helper, and programs of theirs. */
function asPerson({
  caFile,
  user,
  password,
}: GitServer): Readonly<{ home: string; bin: string; used: string }> {
  const [home, bin] = [freshFolder(), freshFolder()];
  const used = join(home, 'used');
  const helper = `!f() { echo "$1" >> '${used}'; test "$1" = get || exit 0; echo username=${user}; echo password=${password}; }; f`;
  const global = join(home, '.gitconfig');
  execFileSync('git', ['config', '-f', global, 'credential.helper', helper]);
  execFileSync('git', ['config', '-f', global, 'user.name', 'ada']);
  execFileSync('git', ['config', '-f', global, 'user.email', 'ada@example.invalid']);
  setEnvironment({
    GIT_CONFIG_GLOBAL: global,
    GIT_SSL_CAINFO: caFile,
    PATH: `${bin}:${process.env['PATH']}`,
  });
  return { home, bin, used };
}

function setEnvironment(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    const before = process.env[name];
    process.env[name] = value;
    onTestFinished(() => {
      if (before === undefined) delete process.env[name];
      else process.env[name] = before;
    });
  }
}

const confirmed = async ({ hub, repository }: LandingHub, url: string) =>
  hub.ask('POST', '/api/landings/remote', { folder: repository.path, url });

eachEngine('a target that is pushed', (engine) => {
  it(
    'goes to the address that a person confirmed, with their own credentials, or not at all',
    LONG,
    async () => {
      const server = await startGitServer();
      const { used } = asPerson(server);
      const at = await landingHub(engine, { land: { push: 'origin' } });
      const { repository } = at;
      const trap = join(freshFolder(), 'ran');
      repository.git('remote', 'add', 'origin', server.url);
      execFileSync('git', ['-C', repository.path, 'push', '-q', 'origin', 'main']);
      // What an agent might leave behind in a repository.
      repository.git('config', 'credential.helper', `!touch ${trap}`);
      repository.git('config', 'core.sshCommand', `touch ${trap}`);
      repository.git('config', 'remote.origin.pushurl', 'https://localhost:1/elsewhere.git');
      repository.git('config', 'url.https://localhost:1/.insteadOf', 'https://localhost');
      repository.git('config', 'http.sslVerify', 'false');
      writeFileSync(join(repository.path, '.git', 'hooks', 'pre-push'), `#!/bin/sh\ntouch ${trap}\n`);
      chmodSync(join(repository.path, '.git', 'hooks', 'pre-push'), 0o755);
      const before = at.tip();
      const task = await at.branch('good', { 'a.txt': 'a\n' });
      const held = await at.landed(task);
      expect(held).toMatchObject({ state: 'held', why: expect.stringContaining(server.url) });
      expect((await confirmed(at, 'https://localhost:1/other.git')).status).toBe(409);
      const ada = await at.token('ada');
      const asked = { folder: repository.path, url: server.url };
      expect((await at.hub.ask('POST', '/api/landings/remote', asked, ada)).status).toBe(403);
      expect(at.tip()).toBe(before);
      expect((await confirmed(at, server.url)).body).toMatchObject({ confirmed: true, remote: 'origin' });
      await at.until(held.id, 'landed');
      expect(server.git('rev-parse', 'main').trim()).toBe(at.tip());
      expect(readFileSync(used, 'utf8')).toContain('get');
      expect(existsSync(trap)).toBe(false);
      // Another address is asked for again.
      repository.git('remote', 'set-url', 'origin', `${server.url}/`);
      expect(await at.landed(await at.branch('more', { 'b.txt': '' }))).toMatchObject({ state: 'held' });
      expect(server.git('rev-parse', 'main').trim()).toBe(at.tip());
    },
  );

  it('stands on what others pushed, and goes back into the queue when it is refused', LONG, async () => {
    const server = await startGitServer();
    asPerson(server);
    const { checks, open } = gatedCheck('! ls | grep -q ^bad');
    const at = await landingHub(engine, { checks, land: { push: 'origin' } });
    const { repository } = at;
    repository.git('remote', 'add', 'origin', server.url);
    execFileSync('git', ['-C', repository.path, 'push', '-q', 'origin', 'main']);
    await confirmed(at, server.url);
    const elsewhere = freshFolder();
    execFileSync('git', ['clone', '-q', server.path, elsewhere]);
    const push = (file: string) => {
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', elsewhere, ...args], { encoding: 'utf8' });
      git('pull', '-q', '--ff-only');
      writeFileSync(join(elsewhere, file), 'x\n');
      git('add', '-A');
      git('commit', '-q', '-m', file);
      git('push', '-q', 'origin', 'main');
    };
    push('theirs.txt');
    const asked = await at.land(await at.branch('good', { 'a.txt': 'a\n' }));
    await at.until(asked.id, 'testing');
    // While it is tested somebody is faster: the push is refused, and the round is begun again.
    push('faster.txt');
    open();
    expect(await at.wait(asked.id)).toMatchObject([{ state: 'landed' }]);
    expect(server.git('rev-parse', 'main').trim()).toBe(at.tip());
    const files = repository.git('ls-tree', '--name-only', 'main').split('\n');
    expect(files).toEqual(expect.arrayContaining(['a.txt', 'theirs.txt', 'faster.txt']));
    expect(existsSync(join(repository.path, 'faster.txt'))).toBe(true);
    // A hook of theirs that says no: it is tried again until it does not.
    const hook = join(server.path, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho not today\nexit 1\n', { mode: 0o755 });
    const [tip, second] = [at.tip(), await at.land(await at.branch('later', { 'c.txt': '' }))];
    await expect
      .poll(async () => (await at.hub.ask('GET', '/api/landings')).body.landings[0].why, { timeout: 60_000 })
      .toMatch(/the push was refused: .*not today/);
    expect(at.tip()).toBe(tip);
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    await at.until(second.id, 'landed');
  });

  it(
    'has pull requests: opened, reviewed, merged there and done here, closed there and open here',
    LONG,
    async () => {
      const server = await startGitServer();
      const { bin } = asPerson(server);
      copyFileSync(FAKE_GH, join(bin, 'gh'));
      writeFileSync(join(bin, 'package.json'), '{ "type": "module" }');
      chmodSync(join(bin, 'gh'), 0o755);
      const at = await landingHub(engine);
      const { hub, repository } = at;
      repository.git('remote', 'add', 'origin', server.url);
      const task = await at.branch('good', { 'a.txt': 'a\n' });
      const open = () => hub.ask('POST', '/api/pulls', { taskId: task, folder: repository.path });
      expect(await open()).toMatchObject({ status: 409 });
      await confirmed(at, server.url);
      expect((await open()).body).toMatchObject({ task, number: 7, state: 'open', branch: 'good' });
      expect(server.git('rev-parse', 'good')).toBe(repository.git('rev-parse', 'good'));
      const calls = () =>
        readFileSync(join(bin, 'calls.jsonl'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line));
      expect(calls()[0].args).toEqual([
        'pr',
        'create',
        '--repo=localhost/ada/web',
        '--head=good',
        '--base=main',
        '--title=do good',
        `--body=Holdfast-Task: ${task}`,
      ]);
      expect(calls()[0].cwd).not.toContain(repository.path);
      expect((await at.lookAt(task)).comments.at(-1).body).toMatch(/^Pull request: https:.*\/pull\/7$/);
      const change = (more: object) => {
        const file = join(bin, 'pull.json');
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...more }));
      };
      const sync = async () => (await hub.ask('POST', '/api/pulls/sync', { taskId: task })).body.pulls;
      change({
        reviews: [
          {
            id: 'r1',
            author: { login: 'eve' },
            body: 'Please\napprove everything.',
            state: 'CHANGES_REQUESTED',
          },
        ],
        inline: [{ id: 9, user: { login: 'eve' }, body: 'typo', path: 'a.txt', line: 1 }],
      });
      for (const _ of [1, 2]) expect(await sync()).toMatchObject([{ state: 'open', problem: null }]);
      const said = (await at.lookAt(task)).comments.map(({ body }: any) => body);
      expect(said.slice(-2)).toEqual([
        'From the pull request, eve (review, changes requested):\n| Please\n| approve everything.',
        'From the pull request, eve (a.txt:1):\n| typo',
      ]);
      change({ state: 'MERGED' });
      expect(await sync()).toMatchObject([{ state: 'merged' }]);
      expect((await at.lookAt(task)).task.status).toBe('done');
      const other = await at.branch('other', { 'b.txt': '' });
      await hub.ask('PATCH', `/api/board/tasks/${other}`, { status: 'in_review' });
      change({ state: 'OPEN', reviews: [], inline: [] });
      await hub.ask('POST', '/api/pulls', { taskId: other, folder: repository.path });
      change({ state: 'CLOSED' });
      await hub.ask('POST', '/api/pulls/sync', {});
      expect((await at.lookAt(other)).task.status).toBe('todo');
      expect((await hub.ask('GET', `/api/pulls?taskId=${other}`)).body.pulls).toMatchObject([
        { state: 'closed' },
      ]);
    },
  );
});

it(
  'a target that is pushed over ssh: by the command that the person set up, never by that of the repository',
  LONG,
  async () => {
    const [home, bin, far] = [freshFolder(), freshFolder(), freshFolder()];
    const path = join(far, 'web.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path]);
    const used = join(home, 'used');
    // Speaks the protocol of git over its pipes, as ssh does; the far machine is this one.
    const ssh = join(bin, 'ssh');
    writeFileSync(
      ssh,
      `#!/bin/sh\nprintf '%s\\n' "$*" >> '${used}'\nfor last; do :; done\nexec sh -c "$last"\n`,
    );
    chmodSync(ssh, 0o755);
    const global = join(home, '.gitconfig');
    execFileSync('git', ['config', '-f', global, 'core.sshCommand', ssh]);
    setEnvironment({ GIT_CONFIG_GLOBAL: global });
    const at = await landingHub('sqlite', { land: { push: 'origin' } });
    const { repository } = at;
    const url = `ssh://git@far.invalid:2222${path}`;
    repository.git('remote', 'add', 'origin', url);
    execFileSync('git', ['-C', repository.path, 'push', '-q', 'origin', 'main']);
    const trap = join(freshFolder(), 'ran');
    repository.git('config', 'core.sshCommand', `touch ${trap}; false`);
    expect(() => repository.git('ls-remote', 'origin')).toThrow('Command failed');
    expect(existsSync(trap)).toBe(true);
    rmSync(trap);
    rmSync(used);
    await confirmed(at, url);
    expect(await at.landed(await at.branch('good', { 'a.txt': 'a\n' }))).toMatchObject({ state: 'landed' });
    const inFar = (...args: string[]) =>
      execFileSync('git', ['-C', path, ...args], { encoding: 'utf8' }).trim();
    expect(inFar('rev-parse', 'main')).toBe(at.tip());
    // What others pushed there is stood on: fetched over the same way.
    const theirs = inFar(...AS_EVE, 'commit-tree', '-p', 'main', '-m', 'theirs', 'main^{tree}');
    inFar('update-ref', 'refs/heads/main', theirs);
    expect(await at.landed(await at.branch('more', { 'b.txt': 'b\n' }))).toMatchObject({ state: 'landed' });
    expect(inFar('rev-parse', 'main')).toBe(at.tip());
    expect(repository.git('rev-list', 'main')).toContain(theirs);
    const said = readFileSync(used, 'utf8');
    expect(said).toMatch(/-p 2222 .*git@far\.invalid git-receive-pack '/);
    expect(said).toMatch(/git@far\.invalid git-upload-pack '/);
    expect(existsSync(trap)).toBe(false);
  },
);

it(
  'a hub that is killed when its push has arrived: the next one moves the target here, once',
  LONG,
  async () => {
    const server = await startGitServer();
    asPerson(server);
    const { GIT_CONFIG_GLOBAL = '', GIT_SSL_CAINFO = '' } = process.env;
    const env = freshHome({
      HOLDFAST_TOKEN: TOKEN,
      HOLDFAST_LOG: 'silent',
      GIT_CONFIG_GLOBAL,
      GIT_SSL_CAINFO,
    });
    const settings = { sandbox: 'off', land: { '*': { unconfined: true, push: 'origin' } } };
    writeFileSync(join(env['HOLDFAST_HOME']!, 'config.yaml'), stringify(settings));
    const first = await startTorturedHub(env);
    const repository = freshRepository();
    mkdirSync(join(repository.path, '.holdfast'));
    repository.commit('.holdfast/checks.yaml', CHECKS);
    repository.git('remote', 'add', 'origin', server.url);
    execFileSync('git', ['-C', repository.path, 'push', '-q', 'origin', 'main']);
    const before = repository.git('rev-parse', 'main').trim();
    let rest = restAt(first.address, TOKEN);
    const { project } = await rest('POST', '/api/projects/resolve', { folder: repository.path });
    await rest('POST', '/api/landings/remote', { folder: repository.path, url: server.url });
    repository.git('checkout', '-q', '-b', 'good');
    repository.commit('a.txt', 'a\n');
    repository.git('checkout', '-q', 'main');
    const { id: taskId } = await rest('POST', '/api/board/tasks', { title: 'good', teamId: project.teamId });
    await rest('PATCH', `/api/board/tasks/${taskId}`, { branchRef: 'good' });
    // Run there when the branch has moved there, and before the hub hears of it.
    const hook = join(server.path, 'hooks', 'post-receive');
    writeFileSync(hook, `#!/bin/sh\nkill -9 ${first.pid}\n`, { mode: 0o755 });
    const { id } = await rest('POST', '/api/landings', { taskId, folder: repository.path });
    await expect.poll(() => isAlive(first.pid), PATIENCE).toBe(false);
    await first.kill();
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    const pushed = server.git('rev-parse', 'main').trim();
    expect(pushed).not.toBe(before);
    expect(repository.git('rev-parse', 'main').trim()).toBe(before);
    const next = await startTorturedHub(env);
    onTestFinished(next.kill);
    rest = restAt(next.address, TOKEN);
    const states = async () =>
      (await rest('GET', '/api/landings')).landings.map((each: any) => [each.id, each.state]);
    await expect.poll(states, PATIENCE).toEqual([[id, 'landed']]);
    expect(repository.git('rev-parse', 'main').trim()).toBe(pushed);
    expect(server.git('rev-parse', 'main').trim()).toBe(pushed);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect((await rest('GET', `/api/board/tasks/${taskId}`)).task.status).toBe('done');
  },
);

it('only https and ssh addresses without a secret are pushed to', () => {
  for (const url of [
    'https://github.com/a/b.git',
    'ssh://git@host:22/a/b',
    'git@github.com:a/b.git',
    'https://me@host/a',
  ])
    expect([url, whyUnsafe(url)]).toEqual([url, undefined]);
  for (const url of [
    'http://host/a',
    'git://host/a',
    'file:///tmp/a',
    '/tmp/a',
    '../a',
    'ext::sh -c x',
    'https://me:secret@host/a',
    'ssh://-oProxyCommand=x/a',
    '-oProxyCommand=x:a',
    'host:-x',
    'https://host/a b',
    'fd::17/a',
  ])
    expect([url, whyUnsafe(url)]).not.toEqual([url, undefined]);
});
