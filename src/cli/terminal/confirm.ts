import { createInterface } from 'node:readline';
import type { World } from '../world.ts';

/** What a line end alone means: yes, or no where something would be destroyed. An end of input is always no. */
type Question = Readonly<{ isRisky?: boolean }>;

/** Asks the person at the terminal. */
export async function confirm(world: World, question: string, how: Question = {}): Promise<boolean> {
  using questions = openQuestions(world);
  return await questions.confirm(question, how);
}

/** Several questions, one after the other; lines that were typed ahead answer the next ones. */
export interface Questions extends Disposable {
  confirm(question: string, how?: Question): Promise<boolean>;
}

export function openQuestions(world: World): Questions {
  const lines = createInterface({ input: world.stdin });
  const answers = lines[Symbol.asyncIterator]();
  return {
    async confirm(question, { isRisky = false } = {}) {
      world.print(`${question} ${isRisky ? '[y/N]' : '[Y/n]'}`);
      const { value, done } = await answers.next();
      if (done === true) return false;
      const answer = value.trim();
      return answer === '' ? !isRisky : /^y(es)?$/i.test(answer);
    },
    [Symbol.dispose]: () => lines.close(),
  };
}
