// How far what is remembered is embedded, and what the rest would take.
import { hasNoVector } from '../../../recall/recall.ts';
import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type EmbeddingProgress = Readonly<{
  embedded: number;
  left: number;
  /** About so many tokens of text are still to be sent to the model. */
  tokensLeft: number;
  dims: number | null;
  /** What the vectors take on disk. */
  bytes: number;
}>;

/** English and code have about four letters to a token; a bill may say a little else. */
const LETTERS_PER_TOKEN = 4;
const BYTES_PER_NUMBER = 4;

/** Facts that hold now: the others have no vector. */
export async function embeddingProgress(q: Query, model: string): Promise<EmbeddingProgress> {
  const there = await q.get<{ embedded: number; numbers: number; dims: number | null }>(sql`
    select count(*) as embedded, cast(coalesce(sum(dims), 0) as bigint) as numbers, max(dims) as dims
    from recall_vectors
    join memory_facts on memory_facts.no = recall_vectors.no
    where recall_vectors.model = ${model}`);
  const rest = await q.get<{ facts: number; letters: number }>(sql`
    select count(*) as facts, cast(coalesce(sum(length(title) + length(content)), 0) as bigint) as letters
    from memory_facts
    where valid_to is null and ${hasNoVector(model, 'memory_facts.no')}`);
  return {
    embedded: there!.embedded,
    left: rest!.facts,
    tokensLeft: Math.ceil(rest!.letters / LETTERS_PER_TOKEN),
    dims: there!.dims,
    bytes: there!.numbers * BYTES_PER_NUMBER,
  };
}
