import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listPendingApprovals } from '../../src/features/broker/rows/approvals.ts';
import { coreHost } from '../fixtures/core-host.ts';
import { freshFolder } from '../fixtures/databases.ts';

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
  } catch {
    return false;
  }
};

const gone = async (pid: number) => {
  for (let i = 0; i < 200 && isAlive(pid); i += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  return !isAlive(pid);
};

describe('Bash', () => {
  it('answers what a command said and how it ended', async () => {
    const { call, workspace } = await coreHost();
    mkdirSync(join(workspace, 'sub'));
    const { value } = await call('Bash', { command: 'pwd; echo oops >&2; exit 3', cwd: 'sub' });
    expect(value).toMatchObject({
      stdout: `${workspace}/sub\n`,
      stderr: 'oops\n',
      exit_code: 3,
      timed_out: false,
      cwd: 'sub',
      truncated: false,
    });
    expect(value.duration_ms).toBeGreaterThanOrEqual(0);
  });

  it('row 12: knows of the environment what is harmless, and what the operator named', async () => {
    const env = {
      PATH: process.env['PATH'],
      HOME: '/home/x',
      MY_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      DB_URL: 'postgres://u:hunter2@h/d',
      HOLDFAST_SIGNING_KEY: 'z',
      LD_PRELOAD: '/x.so',
      ADMIN_PW: 'hunter3',
      GH_PAT: 'hunter4',
      SSH_AUTH_SOCK: '/x',
      LC_ALL: 'C',
      HTTPS_PROXY: 'http://u:hunter5@proxy',
      WANTED: 'seen',
    };
    const { call } = await coreHost({ env, shellEnv: ['WANTED', 'LD_PRELOAD', 'HOLDFAST_SIGNING_KEY'] });
    const { stdout } = (await call('Bash', { command: 'env' })).value;
    for (const kept of ['WANTED=seen', 'LC_ALL=C', 'HOME=/home/x']) expect(stdout).toContain(kept);
    expect(stdout).not.toMatch(
      /MY_API_KEY|GITHUB_TOKEN|hunter|HOLDFAST|LD_PRELOAD|ADMIN_PW|GH_PAT|SSH_AUTH_SOCK/,
    );
  });

  it('ends a process that ignores SIGTERM, and its children, at the time-out', async () => {
    const { call } = await coreHost();
    const startedAt = Date.now();
    const { value } = await call('Bash', {
      command: `trap '' TERM; sleep 60 & echo child=$! me=$$; while true; do sleep 0.1; done`,
      timeout_ms: 3_000,
    });
    expect(value).toMatchObject({ timed_out: true, exit_code: -1 });
    expect(Date.now() - startedAt).toBeLessThan(50_000);
    const [, child, me] = /child=(\d+) me=(\d+)/.exec(value.stdout)!;
    expect([await gone(Number(child)), await gone(Number(me))]).toEqual([true, true]);
  });

  it('leaves no children behind when a command ends, and does not wait for them', async () => {
    const { call } = await coreHost();
    const startedAt = Date.now();
    const { value } = await call('Bash', { command: 'sleep 60 & echo $!' });
    expect(Date.now() - startedAt).toBeLessThan(50_000);
    expect(await gone(Number(value.stdout))).toBe(true);
  });

  it.each([
    ['a session of its own', 'setsid sleep 60 & echo $!'],
    [
      'a daemon without pipes',
      "setsid sh -c 'echo $$ > pid; exec sleep 60 < /dev/null > /dev/null 2>&1' & wait_for_pid",
    ],
    [
      'row 21: one that cleared its environment',
      "(exec -c setsid sh -c 'echo $$ > pid; exec /bin/sleep 60' < /dev/null > /dev/null 2>&1 &); wait_for_pid",
    ],
    [
      'a daemon of a daemon',
      'setsid sh -c \'setsid sh -c "echo \\$\\$ > pid; exec sleep 60" &\' & wait_for_pid',
    ],
    [
      'one that ignores signals',
      'setsid sh -c \'trap "" TERM HUP INT; echo $$ > pid; sleep 60; sleep 60\' & wait_for_pid',
    ],
  ])('ends %s with the command that left it behind', async (_, command) => {
    const { call } = await coreHost();
    const waiting = command.replace('wait_for_pid', 'while [ ! -s pid ]; do sleep 0.05; done; cat pid');
    const { value } = await call('Bash', { command: waiting });
    expect(Number(value.stdout)).toBeGreaterThan(1);
    expect(await gone(Number(value.stdout))).toBe(true);
  });

  it('hears everything that was said before the end', async () => {
    const { call } = await coreHost();
    const { value } = await call('Bash', { command: 'setsid sleep 60 & seq 1 30000; echo the end' });
    expect(value.stdout.trimEnd().endsWith('30000\nthe end')).toBe(true);
  });

  it('caps what it keeps of a flood, beginning and end', async () => {
    const { call } = await coreHost();
    const { value } = await call('Bash', {
      command: 'echo first; head -c 3000000 /dev/zero | tr "\\0" "x"; echo; echo last',
    });
    expect(value.truncated).toBe(true);
    expect(value.stdout.length).toBeLessThan(300_000);
    expect([value.stdout.startsWith('first'), value.stdout.trimEnd().endsWith('last')]).toEqual([true, true]);
  });

  it('stops when its caller hangs up', async () => {
    const { call, workspace } = await coreHost();
    const leaving = new AbortController();
    const calling = call('Bash', { command: 'echo $$ > pid; sleep 60' }, leaving.signal);
    while (!existsSync(join(workspace, 'pid'))) await new Promise((resolve) => setTimeout(resolve, 10));
    leaving.abort();
    await calling;
    expect(await gone(Number(readFileSync(join(workspace, 'pid'), 'utf8')))).toBe(true);
  });

  it('is compacted, with failures kept and statistics', async () => {
    const { call } = await coreHost();
    const { value, meta } = await call('Bash', {
      command:
        'for i in $(seq 300); do echo same; done; echo "error: it broke"; for i in $(seq 300); do echo tail $i; done',
    });
    expect(value.stdout).toContain('same  (x300)');
    expect(value.stdout).toContain('error: it broke');
    expect(meta.compaction).toMatchObject({ rule: 'dedup-elide', applied: true });
  });
});

describe('a background command', () => {
  it('is followed by cursors until it is done', async () => {
    const { call } = await coreHost();
    const { value } = await call('Bash', { command: 'echo one; sleep 0.3; echo two', background: true });
    let [cursor, text, status] = [0, '', 'active'];
    while (status === 'active' || text.length < 8) {
      const { value: now } = await call('BashOutput', { task_id: value.task_id, stdout_cursor: cursor });
      [cursor, text, status] = [now.stdout_cursor, text + now.stdout, now.status];
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect([text, status, cursor]).toEqual(['one\ntwo\n', 'done', 8]);
    expect((await call('BashOutput', { task_id: value.task_id })).value).toMatchObject({
      cwd: value.cwd,
      command: value.command,
    });
  });

  it('is ended by BashKill with everything it started', async () => {
    const { call } = await coreHost();
    const { value } = await call('Bash', {
      command: `trap '' TERM; sleep 60 & echo $!; wait`,
      background: true,
    });
    let stdout = '';
    while (stdout === '') stdout = (await call('BashOutput', { task_id: value.task_id })).value.stdout;
    expect((await call('BashKill', { task_id: value.task_id })).value.status).toBe('cancelled');
    expect(await gone(Number(stdout))).toBe(true);
  });

  it('belongs to who started it', async () => {
    const { session } = await coreHost();
    const { value } = await session('ada')('Bash', { command: 'sleep 5', background: true });
    expect((await session('bob')('BashOutput', { task_id: value.task_id })).code).toBe('not_found');
    expect((await session('bob')('BashKill', { task_id: value.task_id })).code).toBe('not_found');
  });

  it('ends with the hub', async () => {
    const { call, core } = await coreHost();
    const { value } = await call('Bash', { command: 'echo $$; sleep 60', background: true });
    let stdout = '';
    while (stdout === '') stdout = (await call('BashOutput', { task_id: value.task_id })).value.stdout;
    await core.close();
    expect(await gone(Number(stdout))).toBe(true);
  });
});

describe('the sandbox', () => {
  const isHeld = () =>
    spawnSync('bwrap', ['--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true']).status === 0;

  it('fails closed when it was asked for and is missing', async () => {
    const { call, workspace } = await coreHost({ sandbox: 'bwrap', env: { PATH: freshFolder() } });
    expect((await call('Bash', { command: 'touch ran' })).denied).toBe('sandbox:missing');
    expect(() => readFileSync(join(workspace, 'ran'))).toThrow(/ENOENT/);
  });

  it('asks bubblewrap for the workspace alone to write, an empty home of the hub, and no network', async () => {
    const bin = freshFolder();
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\necho "$*"\n');
    chmodSync(join(bin, 'bwrap'), 0o755);
    const workspace = freshFolder();
    mkdirSync(join(workspace, 'hub'));
    const { call } = await coreHost({
      workspace,
      closed: [join(workspace, 'hub')],
      sandbox: 'bwrap',
      env: { PATH: `${bin}:${process.env['PATH']}` },
    });
    const { stdout } = (await call('Bash', { command: 'id -u' })).value;
    expect(stdout).toContain('--unshare-all');
    expect(stdout).toContain(`--bind ${workspace} ${workspace} --tmpfs ${workspace}/hub`);
    expect(stdout.trim().endsWith('-- bash -c id -u')).toBe(true);
  });

  /** By default. Where bubblewrap does not work, whoever approves is told, which the test after this one holds. */
  it('row 12: a command sees no process and no key of the hub, has no capabilities, and keeps files and network', async () => {
    const [workspace, hub, outside] = [freshFolder(), freshFolder(), freshFolder()];
    writeFileSync(join(hub, 'token'), 'the token');
    const web = createServer((_, res) => void res.end('reached')).listen(0, '127.0.0.1');
    await once(web, 'listening');
    onTestFinished(() => void web.close());
    const { call } = await coreHost({ workspace, closed: [hub], sandbox: 'auto' });
    const { value } = await call('Bash', {
      command: [
        'echo "running: $(cat /proc/[0-9]*/comm | sort -u | tr "\\n" " ")"',
        `echo "token=$(cat ${hub}/token)"`,
        'echo "$(grep CapEff /proc/self/status)"',
        `echo made > ${outside}/made; curl -s --max-time 5 http://127.0.0.1:${(web.address() as AddressInfo).port}/`,
      ].join('\n'),
    });
    if (!isHeld()) return expect(value.exit_code).toBe(0);
    expect(value.stdout).toMatch(/^running: (?:(?:bash|bwrap|cat|sort|tr) )+\n/);
    expect(value.stdout).not.toContain('the token');
    expect(value.stdout).toMatch(/CapEff:\s+0{16}/);
    expect([value.stdout.endsWith('reached'), existsSync(join(outside, 'made'))]).toEqual([true, true]);
  });

  it('row 12: whoever approves a command that is not kept in is told what it can read', async () => {
    const { session, db } = await coreHost({ sandbox: 'auto', env: { PATH: freshFolder() } }, 'version: 1\n');
    const kept = await coreHost({ sandbox: 'auto' }, 'version: 1\n');
    await Promise.all([
      session('ada')('Bash', { command: 'ls' }),
      kept.session('ada')('Bash', { command: 'ls' }),
    ]);
    const reasonIn = async (where: typeof db) =>
      (await where.read((q) => listPendingApprovals(q, 0, { before: null, limit: 10, team: undefined })))[0]!
        .reason;
    expect(await reasonIn(db)).toContain("can read the hub's own environment");
    expect((await reasonIn(kept.db))!.includes("hub's own environment")).toBe(!isHeld());
  });

  /** Where bubblewrap is missing, or may not make its namespaces, the same command must not have run at all. */
  it('holds a command in, or does not run it', async () => {
    const [workspace, outside] = [freshFolder(), freshFolder()];
    mkdirSync(join(workspace, 'hub'));
    writeFileSync(join(workspace, 'hub', 'token'), 'the token');
    const web = createServer((_, res) => void res.end('reached')).listen(0, '127.0.0.1');
    await once(web, 'listening');
    onTestFinished(() => void web.close());
    const { port } = web.address() as AddressInfo;
    const { call } = await coreHost({ workspace, closed: [join(workspace, 'hub')], sandbox: 'bwrap' });
    const tries = [
      'echo inside > made',
      `echo owned > ${outside}/owned`,
      'echo owned > /etc/holdfast-owned',
      'cat hub/token',
      `curl -s --max-time 5 http://127.0.0.1:${port}/`,
      `kill -0 ${process.pid} && echo seen`,
      'setsid sleep 60 &',
    ];
    const answer = await call('Bash', { command: tries.map((each) => `(${each})`).join('\n') });
    expect(existsSync(join(workspace, 'made'))).toBe(isHeld());
    expect([existsSync(join(outside, 'owned')), existsSync('/etc/holdfast-owned')]).toEqual([false, false]);
    if (isHeld()) expect(answer.value.stdout).not.toMatch(/the token|reached|seen/);
    else expect(answer.denied === 'sandbox:missing' || answer.value.exit_code !== 0).toBe(true);
  });

  it('ends what runs in it at the time-out', async () => {
    const { call, workspace } = await coreHost({ sandbox: 'bwrap' });
    const answer = await call('Bash', {
      command: `trap '' TERM; while true; do date +%s%N > beat; sleep 0.05; done`,
      timeout_ms: 1_500,
    });
    if (!answer.ok) return expect(answer.denied).toBe('sandbox:missing');
    const last = () =>
      existsSync(join(workspace, 'beat')) ? readFileSync(join(workspace, 'beat'), 'utf8') : 'never ran';
    const before = last();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(last()).toBe(before);
  });
});
