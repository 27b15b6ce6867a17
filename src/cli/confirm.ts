import { createInterface } from 'node:readline';
import type { World } from './world.ts';

/** Asks the person at the terminal; the line end alone is yes, and an end of input is no. */
export async function confirm(world: World, question: string): Promise<boolean> {
  world.print(`${question} [Y/n]`);
  const lines = createInterface({ input: world.stdin });
  try {
    for await (const line of lines) return /^\s*(y(es)?)?\s*$/i.test(line);
    return false;
  } finally {
    lines.close();
  }
}
