import { statSync } from 'node:fs';
import { elapsed } from '../../kernel/clock.ts';
import type { Options } from '../options.ts';
import type { World } from '../world.ts';

const EVERY_MS = 1000;
/** A copy of less than this is made before anybody wonders. */
const LARGE = 64 << 20;

/** Said as often as one likes; heard at most once a second. */
export type Progress = (done: number, what: string) => void;

/** How far long work is: nothing while it is quick, and nothing beside an answer for a program. */
export function progressOf(world: Pick<World, 'tell'>, options: Options, now = elapsed): Progress {
  if (options['json'] === true) return () => undefined;
  let told = now();
  return (done, what) => {
    if (now() - told < EVERY_MS) return;
    told = now();
    world.tell(`${done} ${what} …`);
  };
}

/** For work that is one step of the database and says nothing until it is over. */
export function tellLargeCopy(world: Pick<World, 'tell'>, options: Options, file: string): void {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (options['json'] !== true && size >= LARGE)
    world.tell(`Copying ${size >> 20} MB and checking the copy …`);
}

/** The same things, counted as they go by. */
export function* counted<T>(things: Iterable<T>, onCount: (count: number, thing: T) => void): Generator<T> {
  let count = 0;
  for (const thing of things) {
    yield thing;
    onCount((count += 1), thing);
  }
}
