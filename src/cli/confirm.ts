import { createInterface } from 'node:readline';
import type { World } from './world.ts';

/** Asks the person at the terminal; the line end alone is yes, and an end of input is no. */
export async function confirm(world: World, question: string): Promise<boolean> {
  using questions = openQuestions(world);
  return await questions.confirm(question);
}

/** Several questions, one after the other; lines that were typed ahead answer the next ones. */
export interface Questions extends Disposable {
  confirm(question: string): Promise<boolean>;
}

export function openQuestions(world: World): Questions {
  const lines = createInterface({ input: world.stdin });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async confirm(question) {
      world.print(`${question} [Y/n]`);
      const { value, done } = await answers.next();
      return done !== true && /^\s*(y(es)?)?\s*$/i.test(value);
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
