// What a mirror keeps, and for how long; and work that its branch cannot take.
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { mirrorOf, openMirror } from '../../src/features/dispatch/pool/mirror.ts';
import { createWorkPlaces } from '../../src/features/dispatch/pool/work-places.ts';
import { insertAttempt, endAttempt } from '../../src/features/dispatch/rows/attempts.ts';
import { hearAttempt } from '../../src/features/dispatch/pool/rows.ts';
import { changeRun, dropRunsBefore, insertRun } from '../../src/features/dispatch/rows/runs.ts';
import type { Run } from '../../src/features/dispatch/run.ts';
import { bareRun } from '../fixtures/bare-run.ts';
import { eachEngine, freshFolder, freshPlace } from '../fixtures/databases.ts';
import { hubForRunners } from '../fixtures/pool-hub.ts';
import { commit, git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

const MB = 1024 * 1024;

eachEngine('a mirror', (engine) => {
  it('lets go of what branches have, keeps what is needed, and is gone when nothing is', async () => {
    const db = await (await freshPlace(engine)).open();
    const home = freshFolder();
    const repository = newRepositoryWithCommit(freshFolder());
    const base = git(repository, 'rev-parse', 'HEAD');
    const mirror = mirrorOf(home, repository);
    const places = createWorkPlaces({ db, log: silentLog, home });

    /** An attempt that has pushed a megabyte that nobody can make smaller. */
    async function pushed(branch: string): Promise<Run> {
      const id = newId();
      const worktree = { repository, base, branch, path: join(home, 'worktrees', id), kept: true };
      const run = bareRun({
        id,
        cwd: worktree.path,
        createdAt: db.now(),
        state: 'active',
        attempt: 1,
        worktree,
      });
      const place = await places.open(run);
      const work = join(freshFolder(), 'work');
      git(repository, 'clone', '-q', '--no-hardlinks', repository, work);
      writeFileSync(join(work, 'much.bin'), noise(MB));
      const made = commit(work);
      git(work, 'push', '-q', mirror, `HEAD:${place!.ref}`);
      await db.write(systemActor, async (tx) => {
        await insertRun(tx, run);
        await insertAttempt(tx, run, { runner: 'r', holder: 'runner:r', machine: 'm', queuedAt: null });
        await hearAttempt(tx, { runId: id, n: 1 }, { pushed: made });
      });
      return run;
    }
    const end = (run: Run) =>
      db.write(systemActor, async (tx) => {
        await endAttempt(tx, run.id, 'done');
        await changeRun(tx, run.id, { state: 'done', closedAt: tx.now });
      });
    const kept = () =>
      new Set(
        git(mirror, 'for-each-ref', '--format=%(refname)')
          .split('\n')
          .map((ref) => ref.split('/')[3]),
      );
    const size = () =>
      readdirSync(join(mirror, 'objects'), { recursive: true, encoding: 'utf8' }).reduce(
        (sum, name) => sum + statSync(join(mirror, 'objects', name)).size,
        0,
      );

    const [taken, refused, running] = [
      await pushed('holdfast/taken'),
      await pushed('holdfast/refused'),
      await pushed('holdfast/running'),
    ];
    await places.bringHome(taken);
    await end(taken);
    await end(refused);
    expect(size()).toBeGreaterThan(3 * MB);
    await places.tidy();
    // Its objects wait until nobody is at work here.
    expect(kept()).toEqual(new Set([refused.id, running.id]));
    await places.bringHome(running);
    await end(running);
    await places.tidy();
    expect(kept()).toEqual(new Set([refused.id]));
    expect([size() > MB, size() < 2 * MB]).toEqual([true, true]);
    expect(git(repository, 'ls-tree', '--name-only', 'holdfast/running')).toContain('much.bin');

    // Its run is forgotten; as long as it is fresh, it may be one that another database knows.
    await db.write(systemActor, (tx) => dropRunsBefore(tx, tx.now + 1));
    await places.tidy();
    expect(kept()).toEqual(new Set([refused.id]));
    const refs = join(mirror, 'refs', 'heads', 'holdfast', refused.id);
    for (const name of readdirSync(refs)) utimesSync(join(refs, name), 1, 1);
    await places.tidy();
    expect(existsSync(mirror)).toBe(false);
    // It is made again for the next.
    await pushed('holdfast/next');
    expect(existsSync(mirror)).toBe(true);
  });
});

it('work that the branch of its run cannot take ends the run at once, says why, and is kept', async () => {
  const hub = await hubForRunners();
  const repository = newRepositoryWithCommit(freshFolder());
  const { token } = hub.token('one');
  const runner = hub.as(token);
  const claim = await hub.give(runner, { cwd: repository, needs: ['here'] });
  const work = join(freshFolder(), 'work');
  git(repository, 'clone', '-q', repository, work);
  const made = commit(work, 'work of the run');
  const who = `http.extraHeader=Authorization: Bearer ${token}`;
  git(work, '-c', who, 'push', '-q', `${hub.address}${claim.git.url}`, `HEAD:${claim.git.ref}`);
  // Somebody goes on with its branch, elsewhere.
  commit(repository, 'something else');
  git(repository, 'branch', claim.git.branch);
  const end = { fence: claim.fence, state: 'done', outcome: { text: 'through', code: 0, signal: null } };
  const told = await runner('POST', `/v1/runners/runs/${claim.run}/${claim.attempt}/end`, end);
  expect(told.status, JSON.stringify(told.body)).toBe(200);
  const { task } = (await hub.operator('GET', `/v1/biam/tasks/${claim.run}`)).body;
  expect(task).toMatchObject({
    status: 'failed',
    error: { class: 'config', text: expect.stringContaining(`its work is ${made}`) },
    attempts: [{ n: 1, end: 'failed' }],
  });
  const [mirror] = readdirSync(join(hub.env['HOLDFAST_HOME']!, 'mirrors'));
  expect(git(join(hub.env['HOLDFAST_HOME']!, 'mirrors', mirror!), 'rev-parse', claim.git.ref)).toBe(made);
});

function noise(bytes: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: bytes }, () => Math.floor(Math.random() * 256)));
}

it('is made anew where a repository that names its objects otherwise took the place of its own', async () => {
  const [home, place] = [freshFolder(), join(freshFolder(), 'repo')];
  const open = async () => {
    const mirror = await openMirror(home, place);
    const format = git(mirror, 'rev-parse', '--show-object-format');
    git(mirror, 'update-ref', 'refs/heads/tip', git(place, 'rev-parse', 'HEAD'));
    return [mirror, format];
  };
  newRepositoryWithCommit(place);
  const before = await open();
  expect(before[1]).toBe('sha1');
  rmSync(place, { recursive: true });
  git(home, 'init', '-q', '-b', 'main', '--object-format=sha256', place);
  commit(place);
  expect(await open()).toEqual([before[0], 'sha256']);
});
