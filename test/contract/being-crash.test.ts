import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { STEPS } from '../../src/features/being/patrol/work.ts';
import { countWaitingScenes } from '../../src/features/being/rows/notes.ts';
import {
  addScenes,
  allNodes,
  type BeingParts,
  makeBeing,
  openBeingParts,
  patrolNow,
  sceneOf,
  seeBeing,
} from '../fixtures/being-parts.ts';
import { freshPlace } from '../fixtures/databases.ts';

const SCRIPT = fileURLToPath(new URL('../fixtures/being-patrol-process.ts', import.meta.url));
const SCENES = Array.from({ length: 130 }, (_, i) => sceneOf(`Happening number ${i} of the long voyage`));

/** Runs a patrol in another process until it dies or is done. */
async function patrolElsewhere(
  file: string,
  being: string,
  [step = '', when = '']: readonly string[],
  killAfterMs?: number,
) {
  const child = spawn(process.execPath, [SCRIPT, file, being, step, when], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  if (killAfterMs !== undefined) {
    await once(child.stdout, 'data');
    setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  }
  return (await exited)[1];
}

/** Every scene is there once: as a note or as a memory. */
async function expectNothingLost(parts: BeingParts, being: string): Promise<void> {
  const nodes = await allNodes(parts, being);
  const waiting = await seeBeing(parts, being, countWaitingScenes);
  expect(new Set(nodes.map(({ action }) => action)).size).toBe(nodes.length);
  expect(nodes.length + waiting).toBe(SCENES.length);
}

async function finish(parts: BeingParts, being: string): ReturnType<typeof patrolNow> {
  return expect
    .poll(() => patrolNow(parts, being).catch(() => undefined), { interval: 100 })
    .toBeDefined()
    .then(() => patrolNow(parts, being));
}

describe('a patrol that is killed', () => {
  it.each(STEPS.flatMap((step) => [[step, 'before'] as const, [step, 'after'] as const]))(
    'at %s, %s: the next one goes on',
    async (...at) => {
      const place = await freshPlace('sqlite');
      const parts = openBeingParts(await place.open(), { leaseMs: 400 });
      const { id } = await makeBeing(parts);
      await addScenes(parts, id, SCENES);
      expect(await patrolElsewhere(place.location, id, at)).toBe('SIGKILL');
      await expectNothingLost(parts, id);
      await finish(parts, id);
      const nodes = await allNodes(parts, id);
      expect(nodes).toHaveLength(SCENES.length);
      // The one that was killed, the one that took over, and the last: each ages a memory once.
      expect(new Set(nodes.map(({ cycles }) => cycles))).toEqual(new Set([3]));
    },
  );

  it('at any moment: nothing is lost and nothing is there twice', { timeout: 120_000 }, async () => {
    const place = await freshPlace('sqlite');
    const parts = openBeingParts(await place.open(), { leaseMs: 400 });
    const { id } = await makeBeing(parts);
    await addScenes(parts, id, SCENES);
    for (let delay = 5; delay < 90; delay += 12) {
      await patrolElsewhere(place.location, id, [], delay);
      await expectNothingLost(parts, id);
    }
    await finish(parts, id);
    await expectNothingLost(parts, id);
    expect(await seeBeing(parts, id, countWaitingScenes)).toBe(0);
  });
});
