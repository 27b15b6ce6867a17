const SPACE = 32;
/** FNV-1a. */
const BASIS = 0x811c9dc5 | 0;
const PRIME = 0x01000193;

/**
 * A number for each of the words that begin within so many letters of a text, the last of them as far as it goes. Hundreds are
 * compared with every search, and numbers take a fraction of what words do: two with one number, once in a million searches,
 * only look like one.
 */
export function wordHashes(text: string, letters: number): number[] {
  const hashes: number[] = [];
  const end = Math.min(letters, text.length);
  let hash = BASIS;
  for (let at = 0; at < end; at += 1) {
    const letter = text.charCodeAt(at);
    if (letter === SPACE) {
      hashes.push(hash);
      hash = BASIS;
    } else hash = Math.imul(hash ^ letter, PRIME);
  }
  hashes.push(hash);
  return hashes;
}
