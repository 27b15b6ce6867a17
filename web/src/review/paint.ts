// What is painted into the lines of one file; done in a worker.
import { type PatchLine, keyOf } from './patch.ts';
import { languageOf, tokenize, type Token } from './tokens.ts';
import { changedWords, type Span } from './words.ts';

export type Paint = Readonly<{ tokens: readonly Token[]; words: readonly Span[] }>;
export type PaintRequest = Readonly<{ id: number; path: string; lines: readonly PatchLine[] }>;
export type Painted = Readonly<{ id: number; paints: Readonly<Record<string, Paint>> }>;

export function paintLines(path: string, lines: readonly PatchLine[]): Readonly<Record<string, Paint>> {
  const paints: Record<string, { tokens: readonly Token[]; words: readonly Span[] }> = {};
  for (const line of lines) paints[keyOf(line)] = { tokens: [], words: [] };
  const language = languageOf(path);
  if (language)
    for (const side of ['-', '+'] as const) {
      const own = lines.filter(({ sign }) => sign === ' ' || sign === side);
      const found = tokenize(
        own.map(({ text }) => text),
        language,
      );
      for (const [at, line] of own.entries()) paints[keyOf(line)]!.tokens = found[at]!;
    }
  for (const block of blocksOf(lines)) {
    const free = new Set(block.come);
    for (const left of block.gone) {
      const [best] = [...free]
        .slice(0, COMPARED)
        .map((right) => ({ right, ...changedWords(left.text, right.text) }))
        .filter(({ likeness }) => likeness > 0)
        .sort((a, b) => b.likeness - a.likeness);
      if (!best) continue;
      free.delete(best.right);
      paints[keyOf(left)]!.words = best.gone;
      paints[keyOf(best.right)]!.words = best.come;
    }
  }
  return paints;
}

/** So many lines are looked at for the one that another has become. */
const COMPARED = 12;

/** What goes and comes at one place. */
function blocksOf(lines: readonly PatchLine[]): readonly { gone: PatchLine[]; come: PatchLine[] }[] {
  const blocks = [{ gone: [] as PatchLine[], come: [] as PatchLine[] }];
  for (const line of lines) {
    const last = blocks.at(-1)!;
    if (line.sign === '-') last.gone.push(line);
    else if (line.sign === '+') last.come.push(line);
    else if (last.gone.length > 0 || last.come.length > 0) blocks.push({ gone: [], come: [] });
  }
  return blocks;
}

export type Segment = Readonly<{ text: string; kind: Token[1]; isWord: boolean }>;

/** A line cut where its paint changes. */
export function segmentsOf(text: string, { tokens, words }: Paint): readonly Segment[] {
  const cuts = new Set([0, text.length]);
  let at = 0;
  const kinds: [from: number, kind: Token[1]][] = [];
  for (const [length, kind] of tokens) {
    kinds.push([at, kind]);
    cuts.add(Math.min(at, text.length));
    at += length;
  }
  kinds.push([at, undefined]);
  cuts.add(Math.min(at, text.length));
  for (const span of words) for (const each of span) cuts.add(Math.min(each, text.length));
  const edges = [...cuts].sort((a, b) => a - b);
  return edges.slice(0, -1).map((from, index) => ({
    text: text.slice(from, edges[index + 1]),
    kind: kinds.findLast(([begin]) => begin <= from)?.[1],
    isWord: words.some(([begin, end]) => begin <= from && from < end),
  }));
}
