import { sha256 } from '../../../kernel/digest.ts';
import type { Sql } from '../../../store/sql.ts';

/** A copy of one model's vectors that PostgreSQL can search by nearness. Float rows stay the truth; this only finds them sooner. */
export type NearTable = Readonly<{
  model: string;
  dims: number;
  column: Column;
  name: Sql;
  /** Where the extension lives, quoted: our search path does not lead there. */
  schema: Sql;
  /** Whether a search goes on until enough is found that passes the filter. */
  isIterative: boolean;
}>;

type Column = 'vector' | 'halfvec';

/** The most dimensions pgvector indexes, in full and in half precision. */
const MOST_FULL = 2_000;
const MOST_HALF = 4_000;

/** HNSW came with pgvector 0.5, half precision with 0.7. Undefined for what this version cannot index. */
export function columnOf(dims: number, version: string): Column | undefined {
  if (dims <= MOST_FULL) return isFrom(version, 5) ? 'vector' : undefined;
  return dims <= MOST_HALF && isFrom(version, 7) ? 'halfvec' : undefined;
}

/** Names of models are free text, names of tables are not. */
export function tableName(model: string, dims: number): string {
  return `recall_near_${dims}_${sha256(model).slice(0, 16)}`;
}

/** Iterative scans came with pgvector 0.8. */
export function isIterative(version: string): boolean {
  return isFrom(version, 8);
}

function isFrom(version: string, wanted: number): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 0 || minor >= wanted;
}
