import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { faulty, openSourcesHub, sourcesOf } from '../fixtures/sources.ts';

const text = (result: any): string => result.content[0].text;

it(
  'sources killed at random under load: no wrong answer, no orphan, memory back',
  { timeout: 120_000 },
  async () => {
    const names = ['a', 'b', 'c', 'd'];
    const hub = await openSourcesHub(
      Object.fromEntries(names.map((name) => [name, { command: faulty('good'), trust: 'all' }])),
    );
    await hub.ready(...names);
    const load = async (ms: number, lanes: number) => {
      const until = Date.now() + ms;
      const counts = { right: 0, refused: 0, wrong: 0 };
      await Promise.all(
        Array.from({ length: lanes }, async (_, lane) => {
          for (let i = 0; Date.now() < until; i += 1) {
            // One tool may be repeated and the other may not.
            const source = names[(lane + i) % names.length];
            const said = i % 3 === 0 ? 'ok done' : `lane ${lane} call ${i}`;
            const result =
              i % 3 === 0
                ? await hub.call(`${source}__ok`)
                : await hub.call(`${source}__echo`, { text: said });
            if (result.isError) counts.refused += 1;
            else if (text(result) === said) counts.right += 1;
            else counts.wrong += 1;
          }
        }),
      );
      return counts;
    };
    await load(1_000, 8);
    const before = heap();
    const killing = (async () => {
      for (let i = 0; i < 16; i += 1) {
        await sleep(350);
        const children = sourcesOf(process.pid);
        const victim = children[Math.floor(Math.random() * children.length)];
        if (victim !== undefined) process.kill(victim, 'SIGKILL');
      }
    })();
    const counts = await load(6_000, 8);
    await killing;
    process.stdout.write(`chaos: ${JSON.stringify(counts)}\n`);
    expect(counts.wrong).toBe(0);
    expect(counts.right).toBeGreaterThan(100);
    await expect
      .poll(
        async () =>
          (await Promise.all(names.map((name) => hub.call(`${name}__echo`, { text: 'back' })))).every(
            (result) => text(result) === 'back',
          ),
        {
          timeout: 30_000,
          interval: 500,
        },
      )
      .toBe(true);
    expect(sourcesOf(process.pid)).toHaveLength(names.length);
    expect(heap() - before).toBeLessThan(20);
    await hub.hub.close();
    expect(sourcesOf(process.pid)).toEqual([]);
  },
);

it('a hub that is killed leaves no program behind, however those behave', { timeout: 60_000 }, async () => {
  const env = freshHome();
  writeFileSync(
    join(env['HOLDFAST_HOME']!, 'config.yaml'),
    stringify({
      sources: {
        stubborn: { command: faulty('orphan'), trust: 'all' },
        plain: { command: faulty('good'), trust: 'all' },
      },
    }),
  );
  const hub = await startHub(env);
  await expect.poll(() => sourcesOf(hub.pid).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
  process.kill(hub.pid, 'SIGKILL');
  await expect.poll(() => sourcesOf(hub.pid), { timeout: 5_000 }).toEqual([]);
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** In MB, after a collection. */
function heap(): number {
  collect();
  return process.memoryUsage().heapUsed / 1024 / 1024;
}
