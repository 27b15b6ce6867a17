// Nearest vectors by pgvector, where the server has it. A table that lacks vectors is not searched.
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { nearestExactly } from '../exact.ts';
import { firstDims, type StoredVector, vectorsByNumber } from '../rows.ts';
import { FEWEST_READ, LOOK_BACK_MS, type Nearest } from '../vector-index.ts';
import * as rows from './rows.ts';
import type { NearTable } from './table.ts';

const PAGE = 200;

/** Makes pgvector usable where the server has it and lets us. Answers whether it is. */
export async function preparePgvector(db: Database, log: Log): Promise<boolean> {
  const state = await db.read(rows.extensionState);
  if (state !== 'available') return state === 'installed';
  try {
    await db.write(systemActor, rows.install);
    return true;
  } catch (error) {
    log.info('This user may not install pgvector; vectors are searched without it.', { error });
    return false;
  }
}

/** The table of a model, for a search: undefined unless it is there and has every vector the float rows have. */
export function createNeighbours(
  db: Database,
  model: string,
  dims: number,
): { open(): Promise<Nearest | undefined> } {
  let seenUntil = 0;
  return {
    async open() {
      const table = await db.read(async (q) => {
        const found = await rows.nearTable(q, model, dims);
        if (!found?.isThere) return undefined;
        const { stored, missing, newest } = await rows.countNear(
          q,
          found.table,
          Math.max(0, seenUntil - LOOK_BACK_MS),
        );
        if (missing > 0 || (stored === 0 && seenUntil === 0)) return undefined;
        seenUntil = newest ?? seenUntil;
        return found.table;
      });
      return table && nearestIn(table);
    },
  };
}

function nearestIn(table: NearTable): Nearest {
  return {
    async near(q, { vector, scopes, limit }) {
      const asked = { vector, scopes, limit: Math.max(limit, FEWEST_READ) };
      const walked = await rows.walkNear(q, table, asked);
      const numbers = walked.length < limit ? await rows.scanNear(q, table, asked) : walked;
      return nearestExactly(await vectorsByNumber(q, table.model, numbers), vector, limit);
    },
  };
}

/** In the transaction of the float rows. They are kept even if this fails: a table that lacks some is not searched. */
export async function putNeighbours(
  tx: Tx,
  { model, vectors }: Readonly<{ model: string; vectors: readonly StoredVector[] }>,
  log: Log,
): Promise<void> {
  const [first] = vectors;
  if (!first || !(await rows.nearTable(tx, model, first.vector.length))) return;
  try {
    await tx.attempt(async (inner) => {
      const table = await ensureTable(inner, model, first.vector.length);
      if (!table) return;
      for (const stored of vectors) {
        if (stored.vector.length === table.dims) await rows.putNear(inner, table, stored);
      }
    });
  } catch (error) {
    log.warn('Vectors were saved, but not for pgvector.', { error });
  }
}

/**
 * Copies what was embedded before the extension came, or by a hub that could not use it: a page per call, so that new
 * vectors need not wait. False when nothing is left to copy.
 */
export function createCopying(db: Database, log: Log): (model: string) => Promise<boolean> {
  let copied = '';
  let after = -1;

  async function copyPage(tx: Tx, model: string, dims: number): Promise<number | undefined> {
    const table = await ensureTable(tx, model, dims);
    if (!table) return undefined;
    const page = await rows.missingNear(tx, table, { after, limit: PAGE });
    for (const stored of page) await rows.putNear(tx, table, stored);
    return page.at(-1)?.number;
  }

  return async (model) => {
    if (!db.dialect.hasExtensions || model === copied) return false;
    try {
      const dims = await db.read((q) => firstDims(q, model));
      const last =
        dims === undefined ? undefined : await db.write(systemActor, (tx) => copyPage(tx, model, dims));
      if (last !== undefined) {
        after = last;
        return true;
      }
    } catch (error) {
      log.warn('Vectors could not be copied for pgvector and are searched without it.', { error });
    }
    copied = model;
    after = -1;
    return false;
  };
}

async function ensureTable(tx: Tx, model: string, dims: number): Promise<NearTable | undefined> {
  const found = await rows.nearTable(tx, model, dims);
  if (!found || found.isThere) return found?.table;
  await tx.lock('recall.near');
  // Another hub may have made it while this one waited.
  if (!(await rows.nearTable(tx, model, dims))?.isThere) await rows.createTable(tx, found.table);
  return found.table;
}
