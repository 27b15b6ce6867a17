/**
 * A one-number sketch of a set of words: the smallest hash among them under two hash functions. Texts that differ in a
 * word or two mostly share it, texts that share only common words hardly ever, so one look-up finds near-duplicates.
 */
export function sketch(terms: Iterable<string>): number {
  let first = 0xffffffff;
  let second = 0xffffffff;
  for (const term of terms) {
    const hash = mix(term);
    const other = scramble(hash ^ 0x9e3779b9);
    if (hash < first) first = hash;
    if (other < second) second = other;
  }
  return (first >>> 6) * 2 ** 26 + (second >>> 6);
}

/** Share of the words of both texts that both have. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const term of a) if (b.has(term)) shared += 1;
  return shared / Math.max(1, a.size + b.size - shared);
}

function mix(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return scramble(hash);
}

function scramble(value: number): number {
  let hash = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
