/**
 * A one-number sketch of a set of words: the smallest hash among them. Two texts share it with a probability equal to
 * the share of words they have in common, so looking up one number finds most near-duplicates.
 */
export function sketch(terms: readonly string[]): number {
  let least = 0xffffffff;
  for (const term of terms) {
    const hash = mix(term);
    if (hash < least) least = hash;
  }
  return least;
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
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return (hash ^ (hash >>> 15)) >>> 0;
}
