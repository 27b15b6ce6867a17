import type { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { Knocks } from '../../kernel/knock.ts';
import type { Principal } from '../../kernel/principal.ts';
import { countOldItems, countVectors, type Meaning } from '../../recall/recall.ts';
import { type Acting, actorOf, type Call, callerOf } from '../../store/calls.ts';
import type { Database, Query } from '../../store/database.ts';
import type { ExchangeRecord } from './record.ts';
import { MOST_CHARACTERS } from './brief.ts';
import type { Cite, StoredCite } from './cites/cite.ts';
import type { Asker, Citing } from './cites/caller-cites.ts';
import { contradictionsOf, factsNear, toContradictions } from './contradictions.ts';
import { merge, type Merging, nearDuplicates } from './duplicates.ts';
import type { FactDetail, Saved, SearchAnswer } from './fact.ts';
import { forget, forgetProcedure, history, supersede } from './lifecycle.ts';
import type { Forgotten, Replacement } from './lifecycle.ts';
import { browseFacts, getFact, notFound, saveFact, saveProcedure, teamOf } from './facts.ts';
import { knocksOfRefuted } from './knock-refuted.ts';
import type { Facts, SavedFact, MemoryWriter } from './facts.ts';
import type * as input from './inputs.ts';
import { fullSightOf, isBound, type ScopeArgs, sightOf } from './rules.ts';
import { embeddingProgress } from './rows/embedding.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { search } from './search.ts';
import { exportPage, type ExportPage, type ImportCounts, importRecords } from './transfer.ts';
import type { Readers } from './readers.ts';
import type { Uses } from './uses.ts';
import { confirmFact, confirmProcedure, refuteFact, type Refuting } from './verdicts.ts';
import { toDetail, toFact, toProcedure, toSaved } from './views.ts';
import { listWithheld } from './rows/withheld.ts';
import { forgetWithheld, restore, withhold, withholdProcedure } from './withheld.ts';

/** What one can ask of memory, by tools and routes alike. */
export type MemoryDesk = ReturnType<typeof createMemoryDesk>;

/** The service of the room: what a caller can ask depends on the way it came. */
export type Memory = Readonly<{ via(way: Call['via']): MemoryDesk }>;

type DeskParts = Readonly<{
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
type Said<S extends z.ZodRawShape, O = z.output<z.ZodObject<S>>> = {
  readonly [F in keyof O]: O[F] extends (infer E)[] | undefined ? readonly E[] | O[F] : O[F];
};

export function createMemory(parts: Omit<DeskParts, 'via'>): Memory {
  const desks = {
    tool: createMemoryDesk({ ...parts, via: 'tool' }),
    route: createMemoryDesk({ ...parts, via: 'route' }),
  };
  return { via: (way) => desks[way] };
}

/** Which call a change is: its name and its arguments are the key under which it happens once. */
type Change = Readonly<{ who: Principal; name: string; args?: object }>;

export function createMemoryDesk({
  db,
  acting,
  facts,
  meaning,
  uses,
  citing,
  readers,
  knocks,
  via,
}: DeskParts) {
  /** The provenance of what names no source of its own. */
  const surface = via === 'tool' ? 'mcp' : 'rest';
  const change = <T>(call: Change, unit: (writer: MemoryWriter) => Promise<T>): Promise<T> =>
    acting.change({ ...call, via, args: { ...call.args } }, (tx) => unit(facts.in(tx, call.who)));
  const look = <T>(unit: (q: Query) => Promise<T>): Promise<T> => db.read(unit);

  /** The answer to a save, with the facts that say nearly the same and what differs, and those that disagree. */
  async function offer(saved: SavedFact): Promise<Saved> {
    const { similar, near } = await look(async (q) => ({
      similar: saved.similar.length === 0 ? [] : await rows.factsByIds(q, everything, saved.similar),
      near: saved.duplicate ? [] : await factsNear(q, saved.fact),
    }));
    const against = await contradictionsOf(saved.fact, near);
    return { ...toSaved(saved, similar), ...toContradictions(saved.fact, against) };
  }

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

  async function describeProvider() {
    const provider = await meaning.provider();
    return { id: provider?.id ?? null, available: provider !== undefined && !meaning.isOpen() };
  }

  return {
    async save(who: Principal, args: Said<typeof input.saveShape>): Promise<Saved> {
      const source = args.source ?? surface;
      const asker = { who, via, folder: args.folder };
      const taken = await take(asker, args.cites, `${args.title ?? ''}\n${args.content}`);
      if (args.procedureName !== undefined) {
        const procedure = { ...args, name: args.procedureName, source, taken };
        const { id } = await change({ who, name: 'memory_save', args }, async (writer) => ({
          id: (await saveProcedure(writer, procedure)).id,
        }));
        const stored = await look((q) => procedureRows.procedureById(q, everything, id));
        if (!stored) throw notFound(id);
        return { saved: 'procedure', procedure: toProcedure(stored) };
      }
      const { title } = args;
      if (title === undefined || title.trim() === '')
        throw new HubError('invalid', 'a fact requires a title (or set procedureName for a procedure)');
      const fact = { ...args, title, tags: args.tags ?? [], source, taken };
      if (args.idempotencyKey === undefined) {
        const saved = await change({ who, name: 'memory_save' }, (writer) => saveFact(writer, fact));
        takeNames(asker, saved);
        return offer(saved);
      }
      // An answer kept for repetition must not keep text that may be forgotten, so only ids are kept.
      const kept = await change({ who, name: 'memory_save', args }, async (writer) => {
        const saved = await saveFact(writer, fact);
        return { id: saved.fact.id, duplicate: saved.duplicate, similar: [...saved.similar] };
      });
      const stored = await look((q) => rows.factById(q, everything, kept.id));
      if (!stored) throw notFound(kept.id);
      takeNames(asker, { ...kept, fact: stored });
      return offer({ ...kept, fact: stored });
    },

    async search(
      who: Principal,
      { mode = 'fts', limit = 10, folder, ...args }: Said<typeof input.searchShape>,
    ): Promise<SearchAnswer> {
      const judge = (lists: readonly (readonly StoredCite[])[]) => standing({ who, via, folder }, lists);
      const most = via === 'tool' ? MOST_CHARACTERS : undefined;
      const answer = await search({ db, meaning, judge }, who, { ...args, mode, limit, most });
      if (args.asOf === undefined) uses?.asked(who, args, answer);
      readers?.gave(
        who,
        answer.results.map(({ id }) => id),
      );
      // Tools are told with whatever they are answered next; a route only here.
      const refuted = via === 'route' ? await readers?.tidings(who) : undefined;
      return { ...answer, ...(refuted && refuted.length > 0 && { refuted: [...refuted] }) };
    },

    async browse(
      who: Principal,
      args: ScopeArgs & Readonly<{ limit?: number | undefined; before?: string | undefined }>,
    ) {
      const found = await look((q) => browseFacts({ q, who }, { ...args, limit: args.limit ?? 10 }));
      readers?.gave(
        who,
        found.map(({ id }) => id),
      );
      return { facts: found.map(toFact) };
    },

    async get(
      who: Principal,
      id: string,
      { folder, ...args }: ScopeArgs & Pick<Asker, 'folder'> = {},
    ): Promise<FactDetail> {
      const fact = await look((q) => getFact({ q, who }, id, args));
      uses?.took(who, fact);
      readers?.gave(who, [id]);
      return detailOf({ who, via, folder }, fact);
    },

    async supersede(
      who: Principal,
      args: Omit<Replacement, 'source' | 'taken'> &
        Readonly<{
          source?: string | undefined;
          idempotencyKey?: string | undefined;
          cites?: readonly string[] | undefined;
          folder?: string | undefined;
        }>,
    ) {
      const asker = { who, via, folder: args.folder };
      const taken = await take(asker, args.cites, `${args.title ?? ''}\n${args.content}`);
      const { id } = await change({ who, name: 'memory_supersede', args }, async (writer) => {
        const saved = await supersede(writer, { ...args, source: args.source ?? surface, taken });
        return { id: saved.fact.id };
      });
      const [fact, superseded] = await look(async (q) => [
        await rows.factById(q, everything, id),
        await rows.factById(q, everything, args.id),
      ]);
      if (!fact || !superseded) throw notFound(args.id);
      uses?.took(who, { ...superseded, number: fact.number });
      return { fact: await detailOf(asker, fact), superseded: toDetail(superseded) };
    },

    /** It holds, says whoever asks; what it cites is taken anew from their files. */
    async confirm(who: Principal, id: string, folder?: string) {
      const asker = { who, via, folder };
      const sight = fullSightOf(who);
      const [fact, version] = await look(async (q) => [
        await rows.factById(q, sight, id),
        await procedureRows.procedureById(q, sight, id),
      ]);
      const known = fact ?? version;
      if (!known) throw notFound(id);
      const cites = known.cites && ((await citing?.retake(asker, known.cites)) ?? known.cites);
      await change({ who, name: 'memory_confirm' }, (writer) =>
        fact ? confirmFact(writer, { id, cites }) : confirmProcedure(writer, { id, cites }),
      );
      const [shown] = cites
        ? ((await citing?.check(asker, [cites])) ?? (await standing(asker, [cites])))
        : [];
      const actor = actorOf(callerOf({ who, via })).id;
      return { id, confirmed: { by: actor, at: db.now() }, ...(shown && { cites: [...shown] }) };
    },

    async refute(who: Principal, refuting: Refuting) {
      const { id } = refuting;
      const isVersion = await look((q) => procedureRows.procedureById(q, fullSightOf(who), id));
      if (isVersion)
        throw new HubError('invalid', `${id} is a version of the procedure ${isVersion.name}.`, {
          hint: 'Save a better version with memory_save, or forget this one.',
        });
      await readers?.flush();
      const { copies, told } = await change({ who, name: 'memory_refute' }, (writer) =>
        refuteFact(writer, refuting, readers),
      );
      const { refuted, same } = await look(async (q) => ({
        refuted: await rows.factById(q, everything, id),
        same: copies.length === 0 ? [] : await rows.factsByIds(q, everything, copies),
      }));
      if (!refuted) throw notFound(id);
      if (readers && knocks) {
        const by = { who, isPerson: callerOf({ who, via }).isPerson };
        for (const knock of knocksOfRefuted({ fact: refuted, readers: told, by }, readers))
          knocks.knock(knock);
      }
      return {
        fact: toDetail(refuted),
        told: told.length,
        ...(same.length > 0 && { copies: same.map(toFact) }),
      };
    },

    /** Everything in sight that cites something, with how that stands; a page at a time. */
    async check(
      who: Principal,
      {
        after = '',
        folder,
        ...args
      }: ScopeArgs & Readonly<{ after?: string | undefined; folder?: string | undefined }>,
    ) {
      const sight = sightOf(who, args);
      const isFacts = !after.startsWith(VERSIONS);
      const { items, next } = await look(async (q) => {
        if (isFacts) {
          const page = await rows.citingFacts(q, sight, { limit: CHECKED, after });
          return { items: page.facts, next: page.last ?? VERSIONS };
        }
        const page = { limit: CHECKED, after: after.slice(VERSIONS.length) };
        const versions = await procedureRows.citingProcedures(q, sight, page);
        return { items: versions, next: versions.length < CHECKED ? null : VERSIONS + versions.at(-1)!.id };
      });
      const asker = { who, via, folder };
      const lists = items.map(({ cites }) => cites ?? []);
      const standings = (await citing?.check(asker, lists)) ?? (await standing(asker, lists));
      return {
        checked: items.map((item, i) => ({
          id: item.id,
          kind: 'name' in item ? ('procedure' as const) : ('fact' as const),
          title: 'name' in item ? item.name : item.title,
          cites: [...standings[i]!],
        })),
        next,
      };
    },

    /** What was being looked for after an answer has been found. */
    async settled(): Promise<void> {
      while (background.size > 0) await Promise.all(background);
      await citing?.idle();
    },

    /** Of the newest facts in sight: what nobody has looked at for long is not worth a person's time. */
    async duplicates(who: Principal, args: ScopeArgs = {}) {
      const found = await look((q) => browseFacts({ q, who }, { ...args, limit: COMPARED }));
      const groups = nearDuplicates(found).slice(0, MOST_GROUPS);
      return { compared: found.length, groups: groups.map((group) => group.map(toFact)) };
    },

    async merge(who: Principal, args: Omit<Merging, 'source' | 'taken'>) {
      const taken = await take({ who, via }, undefined, `${args.title ?? ''}\n${args.content}`);
      const { id } = await change({ who, name: 'merge' }, async (writer) => {
        const saved = await merge(writer, { ...args, source: surface, taken });
        return { id: saved.fact.id };
      });
      const fact = await look((q) => rows.factById(q, everything, id));
      if (!fact) throw notFound(id);
      return { fact: toDetail(fact) };
    },

    /** For good, as an agent's is; a person's can be taken back for a day, unless it is to be `now`. */
    async forget(
      who: Principal,
      id: string,
      isNow = false,
    ): Promise<{ forgotten: string[]; until?: number }> {
      const { isPerson } = callerOf({ who, via });
      const isFact = await look((q) => rows.factById(q, sightOf(who, {}), id));
      const unit = async (writer: MemoryWriter): Promise<Forgotten & { until?: number }> => {
        const withheld = isPerson && isNow && !isFact ? await forgetWithheld(writer.tx, id) : undefined;
        if (withheld) return { forgotten: withheld };
        if (isPerson && !isNow) return isFact ? withhold(writer, id) : withholdProcedure(writer, id);
        return isFact ? forget(writer, id) : forgetProcedure(writer, id);
      };
      const { forgotten, until } = await change({ who, name: 'memory_forget' }, unit);
      return { forgotten: [...forgotten], ...(until !== undefined && { until }) };
    },

    async restore(who: Principal, id: string): Promise<{ restored: string[] }> {
      requirePerson(who, via);
      const { restored } = await change({ who, name: 'restore' }, (writer) => restore(writer, id));
      return { restored: [...restored] };
    },

    async withheld(who: Principal) {
      requirePerson(who, via);
      return { withheld: await look((q) => listWithheld(q, db.now())) };
    },

    async history(who: Principal, id: string, { folder, ...args }: ScopeArgs & Pick<Asker, 'folder'> = {}) {
      const versions = await look((q) => history({ q, who }, { ...args, id }));
      const opened = versions.find((version) => version.id === id);
      if (opened) uses?.took(who, opened);
      readers?.gave(
        who,
        versions.map((version) => version.id),
      );
      const cites = await standing(
        { who, via, folder },
        versions.map((version) => version.cites ?? []),
      );
      return { versions: versions.map((version, i) => toDetail(version, cites[i])) };
    },

    async procedure(
      who: Principal,
      args: ScopeArgs & Readonly<{ name: string; version?: number | undefined }>,
    ) {
      const found = await look((q) => procedureRows.proceduresByName(q, sightOf(who, args), args.name));
      const wanted =
        args.version === undefined ? found[0] : found.find((one) => one.version === args.version);
      if (!wanted)
        throw notFound(args.version === undefined ? args.name : `${args.name} version ${args.version}`);
      const versions = found.filter((one) => sameScope(one, wanted)).map((one) => one.version);
      const filed = uses && (await look((q) => procedureRows.filedVersion(q, wanted.id)));
      if (filed) uses.took(who, { id: wanted.id, ...filed });
      readers?.gave(who, [wanted.id]);
      const [cites] = await standing({ who, via }, [wanted.cites ?? []]);
      return { procedure: toProcedure(wanted, cites), versions };
    },

    procedures: async (
      who: Principal,
      args: ScopeArgs & Readonly<{ limit?: number | undefined; after?: string | undefined }>,
    ) => {
      const page = { limit: args.limit ?? 50, after: args.after ?? '' };
      const found = await look((q) => procedureRows.latestProcedures(q, sightOf(who, args), page));
      return { procedures: found.map((one) => toProcedure(one)) };
    },

    importRecords: (
      who: Principal,
      records: readonly ExchangeRecord[],
      source: string,
    ): Promise<ImportCounts> =>
      change({ who, name: 'import' }, (writer) => importRecords(writer, facts, { records, source })),

    exportPage: (who: Principal, args: ScopeArgs, after: string): Promise<ExportPage> =>
      look((q) => exportPage({ q, who }, args, { after })),

    async stats(who: Principal, args: ScopeArgs = {}) {
      const sight = sightOf(who, args);
      const counts = await look(async (q) => ({
        facts: await rows.countFacts(q, sight),
        procedures: await procedureRows.countProcedures(q, sight),
        // Counted over the whole store, so only for those who see all of it.
        ...(isBound(who) ? {} : { vectors: await countVectors(q), ...(await readAgain(q)) }),
      }));
      return { ...counts, provider: await describeProvider() };
    },

    provider: describeProvider,

    /** Counted over the whole store, so only for those who see all of it. */
    async embedding(who: Principal) {
      const provider = await describeProvider();
      if (provider.id === null || isBound(who)) return { provider };
      return { provider, progress: await look((q) => embeddingProgress(q, provider.id!)) };
    },
  };
}

/** So many of what cites something are looked up in one request. */
const CHECKED = 100;
const VERSIONS = 'procedures:';
const COMPARED = 500;
const MOST_GROUPS = 50;

/** How much an older hub indexed that is still to be read again, while there is some. */
async function readAgain(q: Query): Promise<{ toReadAgain?: number }> {
  const count = await countOldItems(q);
  return count > 0 ? { toReadAgain: count } : {};
}

/** What is withheld is a person's own: nobody else learns that it is there. */
function requirePerson(who: Principal, via: Call['via']): void {
  if (callerOf({ who, via }).isPerson) return;
  throw new HubError('forbidden', 'Only a person takes back what a person forgot.');
}

const everything = sightOf({ kind: 'system', id: 'system', scopes: new Set(), seat: '', bound: {} }, {});

function sameScope(a: procedureRows.StoredProcedure, b: procedureRows.StoredProcedure): boolean {
  return a.scopeAgentId === b.scopeAgentId && a.scopeTeamId === b.scopeTeamId && a.tenantId === b.tenantId;
}
