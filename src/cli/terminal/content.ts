import { text as readAll } from 'node:stream/consumers';
import { HubError } from '../../kernel/errors.ts';
import type { World } from '../world.ts';

/** What a command is to save: the words of its line, else standard input. */
export async function contentFrom(world: World, words: readonly string[]): Promise<string> {
  const content = words.length > 0 ? words.join(' ') : await readInput(world);
  if (content.trim() !== '') return content;
  throw new HubError('invalid', 'There is nothing to save.', {
    hint: 'Give the content behind the name, or through a pipe.',
  });
}

async function readInput({ stdin, tell }: World): Promise<string> {
  if ('isTTY' in stdin && stdin.isTTY === true) tell('Write the content, and end it with Ctrl-D:');
  return (await readAll(stdin)).trim();
}
