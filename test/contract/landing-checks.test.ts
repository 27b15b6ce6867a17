// Checks that the hub runs: what they see, how they end, what is kept of them, and what bad ones can do.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { type Sql, sql } from '../../src/store/sql.ts';
import { eachEngine, freshFolder } from '../fixtures/databases.ts';
import { isAlive, openAt } from '../fixtures/dispatch-hub.ts';
import { gatedCheck, landingHub, landingsOf, type LandingHub } from '../fixtures/landing-hub.ts';

const LONG = { timeout: 60_000 };

const run = async ({ hub, repository }: LandingHub, check: string, commit = 'main') =>
  (await hub.ask('POST', '/api/checks/run', { check, commit, folder: repository.path })).body;

const checksOf = (lines: Readonly<Record<string, string>>, more = '') =>
  `version: 1\n${more}checks:\n${Object.entries(lines)
    .map(([name, fields]) => `  ${name}: { ${fields} }\n`)
    .join('')}`;

eachEngine('checks of the hub', (engine) => {
  it('run on the exact commit, are reused on the same tree, and only passes are', LONG, async () => {
    const outside = freshFolder();
    const count = (name: string) => readdirSync(outside).filter((each) => each.startsWith(name)).length;
    const at = await landingHub(engine, {
      checks: checksOf({
        unit: `run: "mktemp ${outside}/unit-XXXXXX; ls -A; cat README.md"`,
        bad: `run: "mktemp ${outside}/bad-XXXXXX; exit 3"`,
        flaky: `run: "mktemp ${outside}/flaky-XXXXXX; test $(ls ${outside} | grep -c flaky) -gt 1", retries: 1`,
      }),
    });
    writeFileSync(join(at.repository.path, 'README.md'), 'not committed\n');
    const first = await run(at, 'unit');
    expect(first).toMatchObject({ by: 'hub', exit: 0, passed: true, confined: false, reused: false });
    expect(first.tail).toContain('.holdfast\nREADME.md\nhello\n');
    at.repository.git('checkout', '-q', 'README.md');
    at.repository.git('commit', '-q', '--allow-empty', '-m', 'the same tree');
    const again = await run(at, 'unit');
    expect(again).toMatchObject({
      passed: true,
      reused: true,
      tree: first.tree,
      definition: first.definition,
    });
    expect(again.commit).not.toBe(first.commit);
    expect(count('unit')).toBe(1);
    for (const _ of [1, 2])
      expect(await run(at, 'bad')).toMatchObject({ exit: 3, passed: false, reused: false });
    expect(count('bad')).toBe(2);
    expect(await run(at, 'flaky')).toMatchObject({ passed: true, flaky: true });
    expect(count('flaky')).toBe(2);
    expect(await run(at, 'nothing')).toMatchObject({
      code: 'not_found',
      hint: 'There are: unit, bad, flaky.',
    });
    expect(await run(at, 'unit', '--upload-pack=x')).toMatchObject({ code: 'not_found' });
  });

  it(
    'take their set-up from the target, each a copy; a branch that changes its key has one alone',
    LONG,
    async () => {
      const outside = freshFolder();
      const made = () => readdirSync(outside).length;
      const at = await landingHub(engine, {
        checks: checksOf(
          { unit: 'run: "cat deps/made && cmp deps/made lock && echo mine > deps/made", setup: deps' },
          `setup:\n  deps: { run: "mktemp ${outside}/XXXXXX; mkdir deps; cp lock deps/made", key: [lock] }\n`,
        ),
      });
      at.repository.commit('.gitignore', 'deps\n');
      at.repository.commit('lock', 'one\n');
      expect(await run(at, 'unit')).toMatchObject({ passed: true, tail: 'one\n' });
      at.repository.commit('other', '');
      // A copy: what the run before left in it is gone.
      expect(await run(at, 'unit')).toMatchObject({ passed: true, reused: false });
      expect(made()).toBe(1);
      const asked = await at.land(await at.branch('keys', { lock: 'two\n' }));
      expect(asked).toMatchObject({ state: 'waiting_person', protected: ['lock'] });
      // On its own it is judged with the set-up of the target.
      expect(await run(at, 'unit', 'keys')).toMatchObject({ passed: false });
      await at.hub.ask('POST', `/api/landings/${asked.id}/approve`, {});
      await at.until(asked.id, 'landed');
      expect(made()).toBe(2);
    },
  );

  it('leave evidence that shows when it is changed, added or taken away', LONG, async () => {
    const at = await landingHub(engine);
    const { id } = await run(at, 'unit');
    const verify = async () => (await at.hub.ask('GET', '/api/evidence/verify')).body;
    expect(await verify()).toEqual({ ok: true, checked: 1, wrong: [], audit: true });
    const db = await at.hub.place.open();
    const change = (statement: Sql) => db.write({ id: 'thief', asserted: false }, (tx) => tx.run(statement));
    await change(sql`update check_evidence set exit_code = 7`);
    expect(await verify()).toMatchObject({ ok: false, wrong: [id] });
    await change(sql`delete from check_evidence`);
    expect(await verify()).toMatchObject({ ok: false, wrong: [id] });
  });

  it(
    'are defined by the target alone; a definition that cannot be read says where it is wrong',
    LONG,
    async () => {
      const at = await landingHub(engine);
      const task = await at.branch('weaker', {
        '.holdfast/checks.yaml': 'version: 1\nchecks:\n  unit: { run: "true" }\n',
        'bad-file': '',
      });
      const asked = await at.land(task);
      await at.hub.ask('POST', `/api/landings/${asked.id}/approve`, {});
      // A person let it through, and still the target's own check judges it.
      await at.until(asked.id, 'failed');
      at.repository.commit(
        '.holdfast/checks.yaml',
        'version: 1\nchecks:\n  unit: { run: "true", tmeout: 1s }\n',
      );
      const answer = await at.land(await at.branch('later', { x: '' }));
      expect(answer).toMatchObject({ code: 'invalid' });
    },
  );

  it('a hub that ended in between leaves nothing half: the next one goes on', LONG, async () => {
    const { checks, open } = gatedCheck();
    const at = await landingHub(engine, { checks });
    const { id } = await at.land(await at.branch('good', { 'a.txt': 'a\n' }));
    await at.until(id, 'testing');
    await at.hub.hub.close();
    await pause(50);
    const next = await openAt(at.hub.place, at.hub.home, {}, { land: { '*': { unconfined: true } } });
    open();
    await (await landingsOf(next, at.repository)).until(id, 'landed');
    expect(at.repository.git('status', '--porcelain')).toBe('');
  });
});

// Programs, git and the disk: whatever keeps the rows.
describe('checks that misbehave', () => {
  const engine = 'sqlite';
  it(
    'that never end, flood, fork, end their parent or change their tree hurt nobody',
    { timeout: 120_000 },
    async () => {
      const outside = freshFolder();
      const at = await landingHub(engine, {
        checks: checksOf({
          endless: `run: "sleep 1000 & echo $! > ${outside}/pid; sleep 1000", timeout: 1s`,
          flood: `run: "yes flood | head -c 1000000000; echo the end; exit 1"`,
          fork: `run: "(setsid sleep 900 & echo $! > ${outside}/fork) ; exit 0"`,
          parent: 'run: "kill -9 $PPID; sleep 5", timeout: 20s',
          change: 'run: "echo more >> README.md; touch -r .holdfast README.md"',
          after: 'run: "grep -c . README.md; test $(cat README.md) = hello; test ! -e left"',
          leave: 'run: "mkdir -p left/deep; touch left/deep/x; chmod 500 left/deep"',
        }),
      });
      const pidIn = (name: string) => Number(readFileSync(join(outside, name), 'utf8'));
      expect(await run(at, 'endless')).toMatchObject({
        exit: 124,
        passed: false,
        tail: expect.stringContaining('[ended after 1 s]'),
      });
      expect(isAlive(pidIn('pid'))).toBe(false);
      const flood = await run(at, 'flood');
      expect(flood.passed).toBe(false);
      expect(flood.tail.length).toBeLessThanOrEqual(8_100);
      expect(flood.tail).toContain('the end');
      expect(await run(at, 'fork')).toMatchObject({ passed: true });
      await expect.poll(() => isAlive(pidIn('fork')), { timeout: 10_000 }).toBe(false);
      expect(await run(at, 'parent')).toMatchObject({ passed: false });
      expect(await run(at, 'change')).toMatchObject({
        passed: false,
        tail: expect.stringContaining('it changed files of the tree'),
      });
      expect(await run(at, 'leave')).toMatchObject({ passed: true });
      expect(await run(at, 'after')).toMatchObject({ passed: true });
    },
  );

  it('are not run where nothing keeps them in, and are kept in where something does', LONG, async () => {
    const bare = await landingHub(engine, { land: { unconfined: false }, more: { sandbox: 'off' } });
    const { hint, ...refused } = await run(bare, 'unit');
    expect(refused).toMatchObject({ code: 'unavailable' });
    expect(hint).toContain('unconfined: true');
    const held = await bare.landed(await bare.branch('good', { 'a.txt': '' }));
    expect(held).toMatchObject({ state: 'held', why: expect.stringContaining('bubblewrap is missing') });
    const bin = freshFolder();
    writeFileSync(join(bin, 'bwrap'), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(join(bin, 'bwrap'), 0o755);
    const before = process.env['PATH'];
    process.env['PATH'] = `${bin}:${before}`;
    try {
      const at = await landingHub(engine, {
        land: { unconfined: false },
        more: { sandbox: 'auto' },
        checks: checksOf({ shut: 'run: "true"', open: 'run: "true", network: open' }),
      });
      const shut = await run(at, 'shut');
      expect(shut).toMatchObject({ passed: true, confined: true });
      const args = shut.tail.trim().split('\n').join(' ');
      for (const part of [
        '--unshare-net',
        '--unshare-pid',
        '--ro-bind / /',
        '--tmpfs /run',
        '--cap-drop ALL',
      ])
        expect(args).toContain(part);
      expect(args).toContain(`--tmpfs ${at.hub.home}`);
      expect(args).toMatch(/--bind (\S+\/checks\/\S+\/tree) \1 --chdir \1 -- bash -c true$/);
      expect((await run(at, 'open')).tail).not.toContain('--unshare-net');
    } finally {
      process.env['PATH'] = before;
    }
  });
});

describe('unusual repositories', () => {
  const engine = 'sqlite';
  it('a branch that is none, a task without one, a target that goes, an unborn one', LONG, async () => {
    const at = await landingHub(engine);
    const { repository, hub } = at;
    for (const name of ['--force', 'no such', 'a..b', 'main~1', 'gone'])
      expect(await at.land(await at.task('x'), { branch: name })).toMatchObject({
        code: expect.stringMatching(/not_found|invalid/),
      });
    await hub.ask('POST', '/api/landings/pause', { paused: true });
    const asked = await at.land(await at.branch('good', { 'a.txt': '' }));
    await hub.ask('POST', '/api/landings/pause', { paused: true });
    repository.git('checkout', '-q', '--detach');
    repository.git('branch', '-m', 'main', 'elsewhere');
    await hub.ask('POST', '/api/landings/pause', { paused: false });
    expect(await at.until(asked.id, 'held')).toMatchObject({ why: 'There is no branch main with a commit.' });
    expect(await at.land(await at.task('good'))).toMatchObject({ code: 'invalid' });
    repository.git('branch', '-m', 'elsewhere', 'main');
    await at.until(asked.id, 'landed');
    repository.git('checkout', '-q', '--orphan', 'unborn');
    expect(await at.land(await at.task('unborn'))).toMatchObject({ code: 'not_found' });
    // Histories with nothing in common cannot be merged.
    repository.git('commit', '-q', '--allow-empty', '-m', 'begun anew');
    repository.git('checkout', '-q', '-f', 'main');
    expect(await at.landed(await at.task('unborn'))).toMatchObject({
      state: 'conflict',
      why: expect.stringContaining('unrelated histories'),
    });
  });

  it(
    'one with a submodule and pointers, and one of which only the newest commits are there',
    LONG,
    async () => {
      const at = await landingHub(engine);
      const { repository } = at;
      const head = at.tip();
      repository.git('update-index', '--add', '--cacheinfo', `160000,${head},sub`);
      mkdirSync(join(repository.path, 'sub'));
      repository.git('commit', '-q', '-m', 'a submodule');
      const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n';
      expect(await at.landed(await at.branch('good', { 'big.bin': pointer }))).toMatchObject({
        state: 'landed',
      });
      expect(readFileSync(join(repository.path, 'big.bin'), 'utf8')).toBe(pointer);
      writeFileSync(join(repository.path, '.git', 'shallow'), `${at.tip()}\n`);
      expect(await at.landed(await at.branch('shallow', { 'b.txt': '' }))).toMatchObject({ state: 'landed' });
      expect(existsSync(join(repository.path, 'b.txt'))).toBe(true);
    },
  );

  it('a bare one, where only the ref moves', LONG, async () => {
    const at = await landingHub(engine);
    await at.branch('good', { 'a.txt': 'a\n' });
    const bare = join(freshFolder(), 'web.git');
    at.repository.git('clone', '-q', '--bare', at.repository.path, bare);
    const resolved = await at.hub.ask('POST', '/api/projects/resolve', { folder: bare });
    const task = await at.hub.ask('POST', '/api/board/tasks', {
      title: 'in the bare one',
      teamId: resolved.body.project.teamId,
    });
    const asked = await at.land(task.body.id, { branch: 'good', folder: bare });
    expect(await at.wait(asked.id)).toMatchObject([{ state: 'landed', target: 'main' }]);
    const inBare = (...args: string[]) => at.repository.git('--git-dir', bare, ...args);
    expect(inBare('ls-tree', '--name-only', 'main')).toContain('a.txt');
    expect(at.repository.git('ls-tree', '--name-only', 'main')).not.toContain('a.txt');
  });
});
