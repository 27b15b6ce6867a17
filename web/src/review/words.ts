// Which words of a line came and went, when one line takes the place of another.
export type Span = readonly [from: number, to: number];

const PIECES = /[\p{L}\p{N}_]+|\s+|./gu;
const MOST = 300;
/** Lines that have less in common are not the same line changed. */
const ENOUGH = 0.35;
const UNLIKE: Changed = { gone: [], come: [], likeness: 0 };

type Changed = Readonly<{ gone: readonly Span[]; come: readonly Span[]; likeness: number }>;

/** `likeness` is 0 where one is not the other changed. */
export function changedWords(before: string, after: string): Changed {
  const [a, b] = [before.match(PIECES) ?? [], after.match(PIECES) ?? []];
  if (a.length === 0 || b.length === 0 || a.length > MOST || b.length > MOST) return UNLIKE;
  const common = longest(a, b);
  const size = (pieces: readonly string[]) => pieces.join('').trim().length;
  const kept = size(a.filter((_, at) => common.a.has(at)));
  const likeness = kept / Math.max(1, size(a), size(b));
  if (likeness < ENOUGH) return UNLIKE;
  return { gone: spans(a, common.a), come: spans(b, common.b), likeness };
}

function longest(a: readonly string[], b: readonly string[]) {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1)
    for (let j = b.length - 1; j >= 0; j -= 1)
      table[i]![j] =
        a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
  const kept = { a: new Set<number>(), b: new Set<number>() };
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      kept.a.add(i);
      kept.b.add(j);
      i += 1;
      j += 1;
    } else if (table[i + 1]![j]! >= table[i]![j + 1]!) i += 1;
    else j += 1;
  }
  return kept;
}

function spans(pieces: readonly string[], kept: ReadonlySet<number>): readonly Span[] {
  const found: [number, number][] = [];
  let at = 0;
  for (const [index, piece] of pieces.entries()) {
    const to = at + piece.length;
    const last = found.at(-1);
    if (!kept.has(index)) {
      if (last && last[1] === at) last[1] = to;
      else found.push([at, to]);
    }
    at = to;
  }
  return found;
}
