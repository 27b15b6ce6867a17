// The nearest vectors of one model: codes in memory choose, rows in the database decide.
import type { Database, Query } from '../../store/database.ts';
import { scopeOf } from '../place.ts';
import { appendCode, type Codes, createCodes, meanOf, nearest, refine } from './codes.ts';
import { nearestExactly } from './exact.ts';
import * as rows from './rows.ts';
import type { StoredVector } from './rows.ts';

export interface Nearest {
  /** Cosine of the nearest items the reader sees, by number. */
  near(q: Query, asked: AskedNear): Promise<Map<number, number>>;
}

/** `scopes`: what the reader sees; everything unless given. */
type AskedNear = Readonly<{
  vector: Float32Array;
  scopes: ReadonlySet<number> | undefined;
  limit: number;
}>;

/** The vectors of one model and dimension, as codes in memory over rows in the database. The rows are the truth: what they lack is not found. */
export interface VectorIndex extends Nearest {
  /** Reads what was added since the last time, by whichever process. */
  refresh(): Promise<void>;
  readonly count: number;
}

const PAGE = 4_096;
/** Vectors read and compared exactly, and codes looked at more closely to choose them: one in a hundred. */
export const FEWEST_READ = 300;
const MOST_CODES = 2_000;
/** Clocks of other hubs may be a little behind, so each refresh looks back this far. */
export const LOOK_BACK_MS = 5_000;

export function createVectorIndex(db: Database, model: string, dims: number): VectorIndex {
  const rowOf = new Map<number, number>();
  const numbers: number[] = [];
  const scopesOf: number[] = [];
  const gone = new Set<number>();
  let codes: Codes | undefined;
  let seenUntil = 0;

  function add({ number, vector }: StoredVector): void {
    if (!codes || rowOf.has(number)) return;
    rowOf.set(number, numbers.length);
    numbers.push(number);
    scopesOf.push(scopeOf(number));
    appendCode(codes, vector);
  }

  return {
    get count() {
      return numbers.length;
    },
    async refresh() {
      const since = Math.max(0, seenUntil - LOOK_BACK_MS);
      for (let after = -1; ;) {
        const page = await db.read((q) =>
          rows.vectorsSince(q, { model, dims }, { since, after, limit: PAGE }),
        );
        if (page.length === 0) return;
        codes ??= createCodes(
          dims,
          meanOf(
            page.map((row) => row.vector),
            dims,
          ),
        );
        for (const row of page) {
          seenUntil = Math.max(seenUntil, row.addedAt);
          add(row);
        }
        after = page.at(-1)!.number;
        if (page.length < PAGE) return;
      }
    },
    async near(q, { vector, scopes, limit }) {
      if (!codes || vector.length !== dims) return new Map();
      const sees = (row: number): boolean =>
        !gone.has(row) && (scopes === undefined || scopes.has(scopesOf[row]!));
      for (;;) {
        const isOpen = scopes === undefined && gone.size === 0;
        const near = Math.min(MOST_CODES, Math.max(FEWEST_READ, Math.ceil(codes.count / 100)));
        const rough = nearest(codes, vector, {
          wanted: Math.max(limit, near),
          sees: isOpen ? undefined : sees,
        });
        const chosen = refine(codes, vector, { rows: rough, wanted: Math.max(limit, FEWEST_READ) });
        const stored = await rows.vectorsByNumber(
          q,
          model,
          chosen.map((row) => numbers[row]!),
        );
        // Codes of what was deleted must not take the place of what is there: they are noted, and if they did, asked again.
        const found = new Set(stored.map((row) => row.number));
        const missing = chosen.filter((row) => !found.has(numbers[row]!));
        for (const row of missing) gone.add(row);
        if (missing.length > 0 && stored.length < limit) continue;
        return nearestExactly(stored, vector, limit);
      }
    },
  };
}
