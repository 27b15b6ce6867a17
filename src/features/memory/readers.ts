// Who was given what, so that they hear of it when it turns out to be wrong. Nothing is written while a search runs:
// what was shown is written down together, every two seconds.
import { sha256 } from '../../kernel/digest.ts';
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { createCoalesced } from '../../store/coalesced.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Tiding } from './fact.ts';
import { factById, factsByIds, type StoredFact } from './rows/facts.ts';
import * as rows from './rows/readers.ts';
import { fullSightOf, SPACE } from './rules.ts';
import { keyOf } from './uses.ts';

export interface Readers {
  /** These were shown to somebody just now. */
  gave(who: Principal, items: readonly string[]): void;
  /** Tells everybody who was given the fact in the last two weeks, but not who refutes it. Answers who they are. */
  tell(tx: Tx, fact: StoredFact, refuter: Principal): Promise<readonly string[]>;
  /** Has this reader still to hear of it? */
  isWaiting(reader: string, item: string): Promise<boolean>;
  /** What a caller has to hear; it is heard by being answered. */
  tidings(who: Principal): Promise<readonly Tiding[]>;
  /** What waits is on disk: before a refutation looks who was given it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const DAY = 86_400_000;
export const KEPT_MS = 14 * DAY;
const FLUSH_MS = 2_000;
/** Other hubs of the database may have something to tell: looked for so often. */
const LOOK_AGAIN_MS = 1_000;
const AT_ONCE = 5;

const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

type ReaderParts = Readonly<{ db: Database; log: Log }>;

export function createReaders({ db, log }: ReaderParts): Readers {
  const writing = createCoalesced<rows.GivenRow>({
    db,
    log,
    what: 'Who was given which facts',
    everyMs: FLUSH_MS,
    async write(tx, _key, row) {
      await rows.noteGiven(tx, row);
      // Refuted while this waited, maybe by another hub: it would never hear of it.
      const fact = await factById(tx, everything, row.item);
      const refutedAt = fact?.refutedAt ?? null;
      if (refutedAt !== null && refutedAt >= row.at) await tellOne(tx, row);
    },
  });
  const heard = createCoalesced<Pick<rows.TidingRow, 'reader' | 'item'>>({
    db,
    log,
    what: 'What was heard of refutations',
    everyMs: FLUSH_MS,
    write: (tx, _key, row) => rows.dropTiding(tx, row),
  });
  let [isAny, lookedAt] = [false, -Infinity];

  async function tellOne(tx: Tx, { reader, item, at: readAt }: rows.GivenRow): Promise<void> {
    await rows.addTiding(tx, { reader, item, readAt, at: tx.now });
    [isAny, lookedAt] = [true, performance.now()];
  }

  async function mayHaveSome(q: Query): Promise<boolean> {
    if (!isAny && performance.now() - lookedAt > LOOK_AGAIN_MS)
      [isAny, lookedAt] = [await rows.hasTidings(q), performance.now()];
    return isAny;
  }

  return {
    gave(who, items) {
      const reader = readerOf(who);
      for (const item of items) writing.set(`${item} ${reader}`, { item, reader, at: db.now() });
    },
    async tell(tx, fact, refuter) {
      const own = readerOf(refuter);
      const all = await rows.readersOf(tx, fact.id, tx.now - KEPT_MS);
      const others = all.filter(({ reader }) => reader !== own);
      for (const row of others) await tellOne(tx, row);
      return others.map(({ reader }) => reader);
    },
    async isWaiting(reader, item) {
      if (heard.get(`${reader} ${item}`) !== undefined) return false;
      const waiting = await db.read((q) => rows.tidingsFor(q, reader, 50));
      return waiting.some((each) => each.item === item);
    },
    async tidings(who) {
      const reader = readerOf(who);
      const found = await db.read(async (q) => {
        if (!(await mayHaveSome(q))) return [];
        const waiting = (await rows.tidingsFor(q, reader, 50)).filter(
          ({ item }) => heard.get(`${reader} ${item}`) === undefined,
        );
        if (waiting.length === 0) return [];
        // Who may no longer see it hears nothing of it, and who may again later does.
        const facts = await factsByIds(
          q,
          fullSightOf(who),
          waiting.map(({ item }) => item),
        );
        return waiting
          .flatMap(({ item, readAt }) =>
            facts.filter(({ id }) => id === item).map((fact) => ({ fact, readAt })),
          )
          .slice(0, AT_ONCE);
      });
      for (const { fact } of found) heard.set(`${reader} ${fact.id}`, { reader, item: fact.id });
      return found.map(({ fact, readAt }) => toTiding(fact, readAt));
    },
    flush: () => writing.flush(),
    async close() {
      await writing.close();
      await heard.close();
    },
  };
}

function toTiding(fact: StoredFact, readAt: number): Tiding {
  const { id, title, refutedBy, refutedWhy } = fact;
  return { id, title, reason: refutedWhy ?? '', by: refutedBy ?? '', readAt, text: textOf(fact, readAt) };
}

/** "What you read on 3 Nov about X was refuted by ada: …" */
function textOf({ title, refutedBy, refutedWhy, id }: StoredFact, readAt: number): string {
  const day = new Date(readAt).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  });
  return `What you read on ${day} about ${title} was refuted by ${refutedBy}: ${refutedWhy} (${id})`;
}

export function readerOf(who: Principal): string {
  return sha256(keyOf(who), 'base64url').slice(0, 22);
}
