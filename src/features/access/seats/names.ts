import { newSecret } from '../../../kernel/ids.ts';
import { asRead } from '../../../kernel/unseen.ts';

/** The names that connections are given: short words from what a client calls itself, numbered where several are here. */

/** Two names that look alike are one name to whoever reads them. */
function lookOf(name: string): string {
  return asRead(name.normalize('NFKC'))
    .toLowerCase()
    .replace(/[\p{Cf}\p{M}]/gu, '')
    .replace(/[\s_.]+/g, '-');
}

/** So many of one sort are numbered; where more come, somebody is not counting agents, and chance is as good a number. */
const MOST_NUMBERED = 64;

/** The first of `codex`, `codex-2`, `codex-3`… that nobody has. */
export function firstFree(slug: string, taken: Iterable<string>): string {
  const looks = new Set([...taken].map(lookOf));
  if (!looks.has(slug)) return slug;
  for (let n = 2; n <= MOST_NUMBERED; n += 1) if (!looks.has(`${slug}-${n}`)) return `${slug}-${n}`;
  return `${slug}-${newSecret(4)}`;
}
