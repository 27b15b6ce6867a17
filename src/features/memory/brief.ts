// Answers that fit: the best hits whole, the others by the passage that answers best.
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
  const words = new Set(wordsOf(query));
  let left = most;
  return hits.map((hit) => {
    const isWhole = !brief && (hit.content.length <= PASSAGE || hit.content.length <= left);
    const content = isWhole ? hit.content : passageOf(hit.content, words, brief ? BRIEF : PASSAGE);
    left -= content.length;
    return content === hit.content ? hit : { ...hit, content, cut: true };
  });
}

/** The stretch of whole sentences that has most words of the question; the earliest of equals. */
function passageOf(text: string, words: ReadonlySet<string>, most: number): string {
  if (text.length <= most) return text;
  const sentences = [...text.matchAll(/[^.!?\n]*(?:[.!?]+(?=\s|$)|\n|$)/gu)].filter(
    ([said]) => said.trim() !== '',
  );
  let best = { at: 0, found: -1 };
  for (const { 0: said, index } of sentences.slice(0, 2_000)) {
    const found = new Set(
      wordsOf(`${said} ${text.slice(index + said.length, index + most)}`).filter((word) => words.has(word)),
    );
    const own = wordsOf(said).some((word) => words.has(word)) || index === 0;
    if (own && found.size > best.found) best = { at: index, found: found.size };
  }
  const start = best.at + (text.slice(best.at).match(/^\s*/)?.[0].length ?? 0);
  const passage = text
    .slice(start, start + most)
    .toWellFormed()
    .trimEnd();
  return `${start === 0 ? '' : GAP}${passage}${start + most < text.length ? ' …' : ''}`;
}
