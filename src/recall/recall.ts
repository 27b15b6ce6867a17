import { analyseQuery } from './analyse/query.ts';
import { shortlist, withNeighbours } from './candidates.ts';
import { match } from './match.ts';
import type { Postings } from './postings.ts';
import { rank } from './rank.ts';
import type { Ranked } from './rank.ts';

export type RecallOptions = Readonly<{
  /** Similarity by meaning, 0…1: those items are considered beside the ones that words find. */
  similarity?: ReadonlyMap<number, number>;
  prior?: (number: number) => number;
}>;

/** Everything that matches the question at all, best first; empty only when no word, name or date of it is known. */
export async function recall(text: string, postings: Postings, options: RecallOptions = {}): Promise<Ranked[]> {
  const asked = analyseQuery(text);
  const size = await postings.size();
  const { matched, people } = await match(asked, postings, size);
  const query = { ...asked, dates: asked.dates.filter((date) => !people.has(date.name)) };
  const chosen = new Set([...shortlist(matched), ...(options.similarity?.keys() ?? [])]);
  if (chosen.size === 0) return [];
  const items = await postings.load([...withNeighbours(chosen)]);
  return rank({ query, matched, size, items, shortlist: chosen, ...options });
}
