// Machines that do not come back, and one that comes back too late: after the lease their runs go on elsewhere, from what was pushed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { layCable } from '../fixtures/cable.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { PATIENCE } from '../fixtures/dispatch-hub.ts';
import { freePort } from '../fixtures/free-port.ts';
import { marked } from '../fixtures/marked-processes.ts';
import { poolWorld } from '../fixtures/pool-world.ts';
import { git, newRepositoryWithCommit } from '../fixtures/repositories.ts';

/** Does half of its work, commits it and stands still; where half is done already it says what it was told and does the rest. */
const WORK = `
if [ -e half.txt ]; then printf '%s\\n' "$1" | sed 's/^/told: /'; echo rest > rest.txt; echo through; exit 0; fi
echo half > half.txt
git add half.txt && git -c user.name=h -c user.email=h@x commit -qm half
echo "half is done"
sleep 600 & wait`;
const halves = { family: 'command', command: ['sh', '-c', WORK, 'sh', '{prompt}'] };

it(
  'what a runner had goes on elsewhere when it is gone, and when it is cut off for too long',
  { timeout: 180_000 },
  async () => {
    const port = await freePort();
    const pool = await poolWorld(
      { halves: { ...halves, retry: 'once' } },
      { HOLDFAST_ALLOW_HOST: `127.0.0.1:${port}` },
    );
    const repositories = ['one', 'two'].map((name) => newRepositoryWithCommit(join(freshFolder(), name)));
    const way = await layCable(Number(new URL(pool.address()).port), port);
    onTestFinished(() => way.close());
    const setup = { agents: { halves }, args: ['--label', 'far', '--slots', '1'] };
    const one = await pool.runner('one', setup);
    const send = (cwd: string) => pool.send('Do both halves.', { instance: 'halves', cwd, needs: ['far'] });
    const first = await send(repositories[0]!);
    await expect.poll(async () => (await shown(first)).runner, PATIENCE).toBe('one');
    await pool.runner('two', { ...setup, hub: way.url });
    const second = await send(repositories[1]!);
    await Promise.all([first, second].map(isHalfDone));
    // Whoever is killed for good and whoever is cut off are the same to a hub.
    one.kill('SIGKILL');
    way.cut();
    await pool.runner('three', { ...setup, args: ['--label', 'far', '--slots', '4'] });

    for (const [i, id] of [first, second].entries()) {
      const { task } = await waited(id);
      expect(task).toMatchObject({ status: 'done', attempt: 2 });
      const { attempts, worktree } = await shown(id);
      expect(attempts).toMatchObject([
        { n: 1, runner: ['one', 'two'][i], end: 'lost' },
        { n: 2, runner: 'three', end: 'done' },
      ]);
      expect(attempts[1].fence).toBeGreaterThan(attempts[0].fence);
      expect(git(repositories[i]!, 'ls-tree', '--name-only', worktree.branch).split('\n')).toEqual(
        expect.arrayContaining(['half.txt', 'rest.txt']),
      );
      const told = (await pool.lines(id)).filter((line) => line.startsWith('told: ')).join('\n');
      expect(told).toContain('told: Do both halves.');
      expect(told).toMatch(/whoever was at it stopped[^]*half\.txt[^]*\| half is done/);
    }
    // It comes back: whatever it says is refused, and nothing of it is left.
    const before = await pool.lines(second);
    way.heal();
    await expect.poll(() => marked(second), PATIENCE).toEqual([]);
    expect(await pool.lines(second)).toEqual(before);
    const { runners } = await pool.ask('GET', '/v1/runners');
    expect(runners.map(({ name, busy }: any) => [name, busy])).toEqual(
      expect.arrayContaining([
        ['two', 0],
        ['three', 0],
      ]),
    );

    async function shown(id: string): Promise<any> {
      return (await pool.ask('GET', `/v1/biam/tasks/${id}`)).task;
    }
    async function waited(id: string): Promise<any> {
      for (;;) {
        const answer = await pool.wait(id);
        if (answer.task?.status !== 'active' && answer.task?.status !== 'pending') return answer;
      }
    }
    /** Its commit is with the hub: what is pushed is pushed every few seconds. */
    async function isHalfDone(id: string): Promise<void> {
      await expect.poll(() => pool.lines(id), PATIENCE).toContain('half is done');
      const mirrors = join(pool.env['HOLDFAST_HOME']!, 'mirrors');
      const refOf = (n: string) => join('refs', 'heads', 'holdfast', id, n);
      await expect
        .poll(
          () => readdirSync(mirrors).some((name) => existsSync(join(mirrors, name, refOf('1')))),
          PATIENCE,
        )
        .toBe(true);
    }
  },
);
