// What every part of the desk stands on: reading, changing, and what is cited.
import type { z } from 'zod';
import type { Knocks } from '../../../kernel/knock.ts';
import type { Principal } from '../../../kernel/principal.ts';
import type { Meaning } from '../../../recall/recall.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Database, Query } from '../../../store/database.ts';
import type { Asker, Citing } from '../cites/caller-cites.ts';
import type { Cite, StoredCite } from '../cites/cite.ts';
import type { FactDetail } from '../fact.ts';
import { type Facts, type MemoryWriter, type SavedFact, teamOf } from '../facts.ts';
import type { Readers } from '../readers.ts';
import * as rows from '../rows/facts.ts';
import type { StoredFact } from '../rows/facts.ts';
import { sightOf } from '../rules.ts';
import type { Uses } from '../uses.ts';
import { toDetail } from '../views.ts';

export type DeskParts = Readonly<{
  db: Database;
  acting: Acting;
  facts: Facts;
  meaning: Meaning;
  /** Without it nothing is learnt from use. */
  uses?: Uses | undefined;
  /** Without it nothing is cited, and what was is unknown. */
  citing?: Citing | undefined;
  /** Without it nobody hears of a refutation. */
  readers?: Readers | undefined;
  /** Without it nobody is woken by one. */
  knocks?: Knocks | undefined;
  via: Call['via'];
}>;

/** What was said in one of the shapes of `inputs.ts`. */
export type Sent<S extends z.ZodRawShape, O = z.output<z.ZodObject<S>>> = {
  readonly [F in keyof O]: O[F] extends (infer E)[] | undefined ? readonly E[] | O[F] : O[F];
};

/** Which call a change is: its name and its arguments are the key under which it happens once. */
type Change = Readonly<{ who: Principal; name: string; args?: object }>;

export type DeskGround = ReturnType<typeof createGround>;

export function createGround({ db, acting, facts, citing, via }: DeskParts) {
  const change = <T>(call: Change, unit: (writer: MemoryWriter) => Promise<T>): Promise<T> =>
    acting.change({ ...call, via, args: { ...call.args } }, (tx) => unit(facts.in(tx, call.who)));
  const look = <T>(unit: (q: Query) => Promise<T>): Promise<T> => db.read(unit);

  const take = (asker: Asker, given: readonly string[] | undefined, text: string): Promise<StoredCite[]> =>
    citing?.take(asker, { given, text }) ?? Promise.resolve([]);

  /** Names in it that stand on one line of the project are looked for when the answer is on its way. */
  function takeNames(asker: Asker, { fact, duplicate }: SavedFact): void {
    if (duplicate || !citing) return;
    const work = addNames(citing, asker, fact)
      .catch(() => undefined)
      .finally(() => background.delete(work));
    background.add(work);
  }

  async function addNames(known: Citing, asker: Asker, { id, content, cites }: StoredFact): Promise<void> {
    const found = await known.takeNames(asker, content);
    const own = cites ?? [];
    const added = found.filter(
      (one) => !own.some(({ path, from }) => path === one.path && from === one.from),
    );
    if (added.length === 0) return;
    await change({ who: asker.who, name: 'cite' }, async ({ tx }) => {
      const still = await rows.factById(tx, everything, id);
      if (still?.validTo !== null) return;
      await rows.changeFact(tx, id, { cites: [...own, ...added] });
      tx.emit({ kind: 'memory.cited', subject: id, realm: 'hub', ...teamOf(still.scopeTeamId) });
    });
  }
  const background = new Set<Promise<void>>();

  async function standing(
    asker: Asker,
    lists: readonly (readonly StoredCite[])[],
  ): Promise<readonly (readonly Cite[])[]> {
    const unknown = (cite: StoredCite): Cite => ({
      path: cite.path,
      from: cite.from,
      to: cite.to,
      state: 'unknown',
    });
    return citing ? citing.judge(asker, lists) : lists.map((cites) => cites.map(unknown));
  }

  async function detailOf(asker: Asker, fact: StoredFact): Promise<FactDetail> {
    if (fact.cites === null) return toDetail(fact);
    const [cites] = await standing(asker, [fact.cites]);
    return toDetail(fact, cites);
  }

  return {
    db,
    via,
    /** The provenance of what names no source of its own. */
    surface: via === 'tool' ? 'mcp' : 'rest',
    change,
    look,
    take,
    takeNames,
    standing,
    detailOf,
    /** What was being looked for after an answer has been found. */
    async settled(): Promise<void> {
      while (background.size > 0) await Promise.all(background);
      await citing?.idle();
    },
  };
}

export const everything = sightOf(
  { kind: 'system', id: 'system', scopes: new Set(), seat: '', bound: {} },
  {},
);
