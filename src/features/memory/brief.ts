// Answers that fit: the best hits whole, the others by the passage that answers best.
import { once } from '../../kernel/once.ts';
import { wordsOf } from '../../recall/recall.ts';
import type { MemoryHit } from './fact.ts';

/** Some 6,000 tokens of content, which leaves room for an agent to think. */
export const MOST_CHARACTERS = 24_000;
const PASSAGE = 600;
const BRIEF = 200;
/** A passage that begins in the middle of a long text says so. */
const GAP = '… ';

type Bounds = Readonly<{ query: string; brief?: boolean | undefined; most?: number | undefined }>;

export function bounded(
  hits: readonly MemoryHit[],
  { query, brief = false, most = Infinity }: Bounds,
): MemoryHit[] {
  // Mostly all of them are whole, and then nothing is chosen.
  const words = once(() => new Set(wordsOf(query)));
  // Each has its share, however many there are, so the last is told as well and all together stay within the bound.
  const share = Math.min(brief ? BRIEF : PASSAGE, Math.floor(most / Math.max(1, hits.length)));
  let left = most;
  return hits.map((hit, i) => {
    const spare = left - share * (hits.length - i - 1);
    const isWhole = hit.content.length <= (brief ? share : Math.max(share, spare));
    const content = isWhole ? hit.content : passageOf(hit.content, words(), share);
    left -= content.length;
    return content === hit.content ? hit : { ...hit, content, cut: true };
  });
}

/** The stretch of whole sentences that has most words of the question; the earliest of equals. */
function passageOf(text: string, words: ReadonlySet<string>, most: number): string {
  if (text.length <= most) return text;
  const asked = sentencesOf(text)
    .slice(0, 2_000)
    .map(({ said, index }) => ({ index, words: wordsOf(said).filter((word) => words.has(word)) }));
  let best = { at: 0, found: -1 };
  for (const [i, { index, words: own }] of asked.entries()) {
    if (own.length === 0 && index > 0) continue;
    const found = new Set(own);
    for (let next = i + 1; next < asked.length && asked[next]!.index < index + most; next += 1)
      for (const word of asked[next]!.words) found.add(word);
    if (found.size > best.found) best = { at: index, found: found.size };
  }
  const start = best.at + (text.slice(best.at).match(/^\s*/)?.[0].length ?? 0);
  const passage = text
    .slice(start, start + most)
    .toWellFormed()
    .trimEnd();
  return `${start === 0 ? '' : GAP}${passage}${start + most < text.length ? ' …' : ''}`;
}

type Sentence = Readonly<{ said: string; index: number }>;

/** Looked for by their ends alone, so that a note of nothing but dots takes no longer than any other. */
function sentencesOf(text: string): Sentence[] {
  const ends = Array.from(text.matchAll(/[.!?](?=\s)|\n|$/g), ({ 0: end, index }) => index + end.length);
  return ends
    .map((end, i) => ({ index: ends[i - 1] ?? 0, said: text.slice(ends[i - 1] ?? 0, end) }))
    .filter(({ said }) => said.trim() !== '');
}
