import type { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';

/** A command whose words are a query: `-word` is one of them. What begins with two dashes is still an option, and told when it is none. */
export function takingQuery(command: Command): Command {
  return command.allowUnknownOption().hook('preAction', (_, called) => {
    const odd = called.args.find((word) => word.startsWith('--') && word.length > 2);
    if (odd !== undefined)
      throw new HubError('invalid', `unknown option '${odd}'`, {
        hint: 'Run with --help to see what is possible.',
      });
  });
}
