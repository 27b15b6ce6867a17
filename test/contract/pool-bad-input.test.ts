// What a runner may not do, and what a bad network or a liar cannot break. The runner here is a program of the test that speaks HTTP.
import { execFileSync, spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { requireHubUrl } from '../../src/features/dispatch/runner/link.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { runHoldfast } from '../fixtures/hub-process.ts';
import { hubForRunners, offer } from '../fixtures/pool-hub.ts';
import { newRepositoryWithCommit } from '../fixtures/repositories.ts';

it('a token of a runner takes runs and nothing else; no other token does', async () => {
  const hub = await hubForRunners();
  const runner = hub.as(hub.token('one').token);
  for (const path of ['/v1/biam/tasks', '/v1/runners', '/api/tokens', '/api/board/tasks', '/v1/agents'])
    expect([path, (await runner('GET', path)).status]).toEqual([path, 403]);
  expect((await runner('POST', '/v1/send_message', { prompt: 'x', async: true })).status).toBe(403);
  const agent = hub.as(
    JSON.parse(runHoldfast(hub.env, ['token', 'create', '--agent', 'ada', '--json']).out).token,
  );
  expect((await agent('POST', '/v1/runners/claim', offer())).status).toBe(403);
  expect((await hub.operator('POST', '/v1/runners/claim', offer())).status).toBe(403);
});

it('says what is wrong: another version, and a second one with the same name', async () => {
  const hub = await hubForRunners();
  const runner = hub.as(hub.token('one').token);
  const other = await runner('POST', '/v1/runners/claim', { ...offer(), version: '99.0.0' });
  expect([other.status, other.body.error ?? other.body.message]).toEqual([
    409,
    expect.stringContaining('99.0.0'),
  ]);
  expect((await runner('POST', '/v1/runners/claim', offer())).status).toBe(204);
  const twin = await runner('POST', '/v1/runners/claim', { ...offer(), process: 'other' });
  expect([twin.status, twin.body.code]).toEqual([409, 'conflict']);
});

it('takes each frame once, whatever is lost, doubled or out of order, and refuses an old fence', async () => {
  const hub = await hubForRunners();
  const runner = hub.as(hub.token('one').token);
  const { run, attempt, fence } = await hub.give(runner);
  const tell = (from: number, ...lines: string[]) =>
    runner('POST', `/v1/runners/runs/${run}/${attempt}/frames`, {
      fence,
      from,
      frames: lines.map((line) => ({ kind: 'stdout', line, ts: '2001-01-01T00:00:00Z' })),
    });
  expect((await tell(1, 'a', 'b')).body).toEqual({ acked: 2 });
  expect((await tell(1, 'a', 'b')).body).toEqual({ acked: 2 });
  expect((await tell(5, 'e')).body).toEqual({ acked: 2 });
  expect((await tell(2, 'b', 'c', 'd')).body).toEqual({ acked: 4 });
  expect((await tell(5, 'e')).body).toEqual({ acked: 5 });
  const stale = await runner('POST', `/v1/runners/runs/${run}/${attempt}/frames`, {
    fence: fence - 1,
    from: 6,
    frames: [],
  });
  expect([stale.status, stale.body.code]).toEqual([409, 'stale_fence']);
  const ended = { fence, state: 'done', outcome: { text: 'fin', code: 0, signal: null } };
  expect((await runner('POST', `/v1/runners/runs/${run}/${attempt}/end`, ended)).body).toEqual({
    state: 'done',
  });
  expect((await runner('POST', `/v1/runners/runs/${run}/${attempt}/end`, ended)).body).toEqual({
    state: 'done',
  });
  expect((await tell(6, 'late')).status).toBe(409);
  const shown = await hub.operator('GET', `/v1/biam/tasks/${run}`);
  expect(shown.body).toMatchObject({ result: 'fin', task: { status: 'done', attempt: 1 } });
});

it('gives no more than the slots that were named, and what was given and not heard again', async () => {
  const hub = await hubForRunners();
  const runner = hub.as(hub.token('one').token);
  const first = await hub.give(runner);
  await hub.send();
  const again = (await runner('POST', '/v1/runners/claim', offer())).body;
  expect([again.run, again.attempt, again.fence]).toEqual([first.run, first.attempt, first.fence]);
  const has = [{ run: first.run, attempt: first.attempt }];
  expect((await runner('POST', '/v1/runners/claim', { ...offer(), has })).status).toBe(204);
});

it('a revoked token is refused at once', async () => {
  const hub = await hubForRunners();
  const made = hub.token('one');
  const runner = hub.as(made.token);
  const { run, attempt, fence } = await hub.give(runner);
  runHoldfast(hub.env, ['token', 'revoke', made.id]);
  expect((await runner('POST', `/v1/runners/runs/${run}/${attempt}/beat`, { fence })).status).toBe(401);
});

it('git is read by who has an attempt of the project, and writes its own ref alone', async () => {
  const hub = await hubForRunners();
  const repository = newRepositoryWithCommit(freshFolder());
  const [one, two] = [hub.token('one').token, hub.token('two').token];
  const runner = hub.as(one);
  const claim = await hub.give(runner, { cwd: repository, needs: ['here'] });
  const url = `${hub.address}${claim.git.url}`;
  const git = (token: string, ...args: string[]) =>
    spawnSync('git', ['-C', repository, '-c', `http.extraHeader=Authorization: Bearer ${token}`, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: freshFolder(), GIT_TERMINAL_PROMPT: '0' },
    });
  expect(git(one, 'ls-remote', url).stdout).toContain(claim.git.from);
  expect(git(two, 'ls-remote', url).status).not.toBe(0);
  expect(git('nobody', 'ls-remote', url).status).not.toBe(0);
  execFileSync('git', [
    '-C',
    repository,
    '-c',
    'user.name=p',
    '-c',
    'user.email=p@x',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'more',
  ]);
  for (const ref of ['refs/heads/main', `refs/heads/holdfast/${claim.run}/2`, claim.git.from])
    expect([ref, git(one, 'push', url, `HEAD:${ref}`).status]).not.toEqual([ref, 0]);
  expect(git(one, 'push', url, 'HEAD:refs/heads/main', `HEAD:${claim.git.ref}`).status).not.toBe(0);
  const pushed = git(one, 'push', url, `HEAD:${claim.git.ref}`);
  expect(pushed.status, pushed.stderr).toBe(0);
  expect(git(one, 'push', url, `:${claim.git.ref}`).status).not.toBe(0);
  const end = { fence: claim.fence, state: 'done' };
  await runner('POST', `/v1/runners/runs/${claim.run}/${claim.attempt}/end`, end);
  expect(git(one, 'push', url, `HEAD~1:${claim.git.ref}`).status).not.toBe(0);
  expect(git(one, 'ls-remote', url).status).not.toBe(0);
});

it.each(['http://hub.example.test', 'http://10.0.0.7:18790', 'ftp://127.0.0.1', 'hub.example.test', ''])(
  '%s is no way to a hub: a token goes over TLS, or stays on this machine',
  (url) => expect(() => requireHubUrl(url)).toThrow('must be an https URL'),
);

it.each(['https://hub.example.test', 'http://127.0.0.1:18790', 'http://[::1]:18790', 'http://localhost:1'])(
  '%s is one',
  (url) => expect(requireHubUrl(`${url}/`)).toBe(url),
);

it('believes no number of slots beyond what a runner may have, however many it says', async () => {
  const hub = await hubForRunners();
  const runner = hub.as(hub.token('one').token);
  expect((await runner('POST', '/v1/runners/claim', { ...offer(), slots: 100_000 })).status).toBe(204);
  expect((await hub.operator('GET', '/v1/runners')).body.runners).toMatchObject([{ slots: 64, busy: 0 }]);
  expect((await runner('POST', '/v1/runners/claim', { ...offer(), slots: -1 })).status).toBe(400);
  expect((await runner('POST', '/v1/runners/claim', { ...offer(), slots: 0 })).status).toBe(204);
});

it('keys, env and flags of agents stay where they are', async () => {
  const key = 'k'.repeat(30);
  const far = {
    family: 'command',
    command: ['far', '--flag-of-the-hub'],
    env: { SERVICE: key },
    model: 'm1',
  };
  const hub = await hubForRunners({ far }, { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key });
  const runner = hub.as(hub.token('one').token);
  const claim = await hub.give(runner);
  expect(claim).toMatchObject({ run: expect.any(String), attempt: 1, git: null });
  for (const word of [key, 'SERVICE', '--flag-of-the-hub', 't'.repeat(40)])
    expect(JSON.stringify(claim)).not.toContain(word);
});
