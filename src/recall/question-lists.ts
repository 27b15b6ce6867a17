import type { FoundWord, WantedWord, WordReader } from '../store/database.ts';
import { ENOUGH } from './matched-terms.ts';
import type { QuestionLists } from './postings.ts';

type Asked = Readonly<{
  /** Words, and behind them marks: who spoke, which day. */
  wanted: readonly WantedWord[];
  words: number;
  /** What the reader may see of it. */
  seen: Promise<(found: FoundWord) => FoundWord>;
}>;

/**
 * Lists of a whole question. A word that very many items have is not read to its end where others have enough: it brings in
 * nothing better by itself, so it is looked up among what they found. In a store of a million that is most of the work.
 */
export async function listsOfQuestion(
  list: WordReader,
  { wanted, words, seen }: Asked,
): Promise<QuestionLists> {
  if (wanted.length === 0) return { lists: [], having: [] };
  const [first, visible] = await Promise.all([
    list(wanted.map((one, i) => (i < words ? { ...one, most: ENOUGH } : one))),
    seen,
  ]);
  const found = first.map(visible);
  const isCut = ({ numbers, having }: FoundWord): boolean => having > numbers.length;
  const cut = wanted
    .flatMap((_, i) => (isCut(first[i]!) ? [i] : []))
    .toSorted((a, b) => found[a]!.having - found[b]!.having);
  if (cut.length === 0) return answerOf(found);
  const known = new Set(found.flatMap(({ numbers }, i) => (i < words && !cut.includes(i) ? numbers : [])));
  // Who was named and which day have to be known in full, and so have the words beside them.
  const isPlain = found.slice(words).every(({ numbers }) => numbers.length === 0);
  // The shortest is mostly enough. In a small scope of a large store it is not, and then all are read to their end.
  for (const count of isPlain ? [1, cut.length] : [cut.length]) {
    if (cut.length === 0 || (isPlain && known.size >= ENOUGH)) break;
    const next = cut.splice(0, count);
    const whole = await list(next.map((i) => wanted[i]!));
    for (const [at, i] of next.entries()) {
      found[i] = visible(whole[at]!);
      for (const number of found[i].numbers) known.add(number);
    }
  }
  if (cut.length > 0) {
    const among = await list(
      cut.map((i) => wanted[i]!),
      [...known],
    );
    for (const [at, i] of cut.entries()) found[i] = { numbers: among[at]!.numbers, having: found[i]!.having };
  }
  return answerOf(found);
}

function answerOf(found: readonly FoundWord[]): QuestionLists {
  return { lists: found.map(({ numbers }) => numbers), having: found.map(({ having }) => having) };
}
