import { sha256 } from '../../../kernel/digest.ts';

const LONGEST = 60;

/**
 * Ids for what has none where it comes from: the file and the words, so that the same words in it are the same task again. What
 * says the same twice in one place is counted.
 */
export function createNames(file: string): (title: string, above?: string) => string {
  const taken = new Map<string, number>();
  return (title, above) => {
    const name = `${above ?? `${file}#`}${above === undefined ? '' : '/'}${wordsOf(title)}`;
    const times = (taken.get(name) ?? 0) + 1;
    taken.set(name, times);
    return times === 1 ? name : `${name}-${times}`;
  };
}

/** `Cut the wood!` is `cut-the-wood`. What is too long to say whole ends in a digest of it. */
function wordsOf(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  if (words !== '' && words.length <= LONGEST) return words;
  return `${words.slice(0, LONGEST).toWellFormed()}-${sha256(title).slice(0, 8)}`.replace(/^-/, '');
}
