// What a person types behind a command that looks for something, as the one query language reads it.
import type { Command } from 'commander';
import { HubError } from '../kernel/errors.ts';
import { nearestName } from '../kernel/nearest-name.ts';
import { parseQuery } from '../kernel/query-language.ts';
import { leavingOut, type LeftOut, plainWordsOf } from '../kernel/query-rooms.ts';

/** A command whose words are a query: `-word` is one of them. What begins with two dashes is still an option, and told when it is none. */
export function takingQuery(command: Command): Command {
  return command.allowUnknownOption().hook('preAction', (_, called) => {
    const odd = called.args.find((word) => word.startsWith('--') && word.length > 2);
    if (odd === undefined) return;
    const names = called.createHelp().visibleOptions(called);
    const meant = nearestName(
      odd.split('=')[0]!,
      names.flatMap(({ long }) => long ?? []),
    );
    const hint = meant === undefined ? 'Run with --help to see what is possible.' : `Did you mean ${meant}?`;
    throw new HubError('invalid', `unknown option '${odd}'`, { hint });
  });
}

const HEAD = /^-?(?:[\p{L}_][\p{L}_-]+(?::[<>]=?|!=|[<>]=|[:=<>]))?/u;

/** What a shell has made one word of is a phrase, or one value, unless it brings quotes of its own. A word alone is the whole query. */
export function queryOf(given: readonly string[]): string {
  if (given.length === 1) return given[0]!;
  return given.map((word) => (/\s/.test(word) && !/^\/|"/.test(word) ? quoted(word) : word)).join(' ');
}

/** `label:big job` is `label:"big job"`. */
function quoted(word: string): string {
  const [head] = HEAD.exec(word)!;
  return `${head}"${word.slice(head.length)}"`;
}

export type AskedWords = LeftOut & Readonly<{ text: string }>;

/** A question in plain words, of which `-word` is none. */
export function questionOf(given: readonly string[]): AskedWords {
  const whole = given.join(' ');
  const query = parseQuery(whole, { fields: {} });
  return { text: query.without.length === 0 ? whole : plainWordsOf(query), ...leavingOut(query) };
}
