// Who was given what, so that they hear of it when it turns out to be wrong. Nothing is written while a search runs:
// what was shown is written down together, every two seconds.
import { sha256 } from '../../kernel/digest.ts';
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { remembered } from '../../kernel/remembered.ts';
import { createCoalesced } from '../../store/coalesced.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Tiding } from './fact.ts';
import { factsByIds, refutedAmong, type StoredFact } from './rows/facts.ts';
import * as rows from './rows/readers.ts';
import { fullSightOf } from './rules.ts';
import { keyOf } from './uses.ts';

export interface Readers {
  /** These were shown to somebody just now. */
  gave(who: Principal, items: readonly string[]): void;
  /** It was told unasked, at the beginning: who was told hears of it as well, but that does not make it a fact that is used. */
  briefed(who: Principal, item: string): void;
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
/** What somebody has still to hear waits for their next answer, also after a holiday. */
export const UNHEARD_MS = 90 * DAY;
const FLUSH_MS = 2_000;
/** Other hubs of the database may have something to tell: looked for so often. */
const LOOK_AGAIN_MS = 1_000;
const AT_ONCE = 5;

type ReaderParts = Readonly<{ db: Database; log: Log }>;

export function createReaders({ db, log }: ReaderParts): Readers {
  const writing = createCoalesced<rows.GivenRow>({
    db,
    log,
    what: 'Who was given which facts',
    everyMs: FLUSH_MS,
    async writeAll(tx, given) {
      await rows.noteGiven(tx, given);
      // Refuted while this waited, maybe by another hub: it would never hear of it.
      const items = [...new Set(given.map(({ item }) => item))];
      const refuted = await refutedAmong(tx, items);
      for (const row of given)
        if ((refuted.get(row.item) ?? -Infinity) >= row.at && !(await rows.hasRefuted(tx, row)))
          await tellOne(tx, row);
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

  function note(reader: string, items: readonly string[]): void {
    const at = db.now();
    for (const item of items) writing.set(`${item} ${reader}`, { item, reader, at });
  }

  async function tellOne(tx: Tx, { reader: given, item, at: readAt }: rows.GivenRow): Promise<void> {
    const reader = rows.withoutBriefed(given);
    await rows.addTiding(tx, { reader, item, readAt, at: tx.now });
    [isAny, lookedAt] = [true, performance.now()];
  }

  const mustLook = (): boolean => performance.now() - lookedAt > LOOK_AGAIN_MS;

  async function mayHaveSome(q: Query): Promise<boolean> {
    if (!isAny && mustLook()) [isAny, lookedAt] = [await rows.hasTidings(q), performance.now()];
    return isAny;
  }

  /** Who may no longer see a fact hears nothing of it, and who may again later does; the facts behind it are not held up. */
  async function untold(q: Query, who: Principal, reader: string) {
    const found: { fact: StoredFact; readAt: number }[] = [];
    for (let after: rows.TidingRow | undefined; found.length < AT_ONCE;) {
      const page = await rows.tidingsFor(q, reader, after);
      const waiting = page.filter(({ item }) => heard.get(`${reader} ${item}`) === undefined);
      const ids = waiting.map(({ item }) => item);
      const facts = new Map(
        ids.length === 0 ? [] : (await factsByIds(q, fullSightOf(who), ids)).map((fact) => [fact.id, fact]),
      );
      for (const { item, readAt } of waiting) {
        const fact = facts.get(item);
        if (fact) found.push({ fact, readAt });
      }
      after = page.at(-1);
      if (page.length < rows.TIDINGS_AT_ONCE) break;
    }
    return found.slice(0, AT_ONCE);
  }

  return {
    gave: (who, items) => note(readerOf(who), items),
    briefed: (who, item) => note(rows.asBriefed(readerOf(who)), [item]),
    async tell(tx, fact, refuter) {
      const own = readerOf(refuter);
      const all = await rows.readersOf(tx, fact.id, tx.now - KEPT_MS);
      const others = all.filter(({ reader }) => rows.withoutBriefed(reader) !== own);
      for (const row of others) await tellOne(tx, row);
      await rows.noteRefuter(tx, { item: fact.id, reader: own, at: tx.now });
      return [...new Set(others.map(({ reader }) => rows.withoutBriefed(reader)))];
    },
    async isWaiting(reader, item) {
      if (heard.get(`${reader} ${item}`) !== undefined) return false;
      return db.read((q) => rows.isTidingFor(q, reader, item));
    },
    async tidings(who) {
      // Asked with every answer of every tool: mostly there is nothing, and then nothing is read.
      if (!isAny && !mustLook()) return [];
      const reader = readerOf(who);
      const found = await db.read(async (q) => ((await mayHaveSome(q)) ? untold(q, who, reader) : []));
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

const digestOfKey = remembered((key) => sha256(key, 'base64url').slice(0, 22));

/** An agent is the same reader with the hub token, without one, and where the hook of its client speaks for it. */
export function readerOf(who: Principal): string {
  const isNamed = (who.bound.agent ?? who.default?.agent ?? who.name) !== undefined;
  return digestOfKey(keyOf(isNamed && who.kind === 'operator' ? { ...who, kind: 'local' } : who));
}
