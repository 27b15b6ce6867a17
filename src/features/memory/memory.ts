import type { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { countOldItems, countVectors, type Meaning } from '../../recall/recall.ts';
import { type Acting, type Call, callerOf } from '../../store/acting.ts';
import type { Database, Query } from '../../store/database.ts';
import type { ExchangeRecord } from './record.ts';
import { merge, type Merging, nearDuplicates } from './duplicates.ts';
import type { FactDetail, Procedure, Saved, SearchAnswer } from './fact.ts';
import { forget, forgetProcedure, history, supersede } from './lifecycle.ts';
import type { Forgotten, Replacement } from './lifecycle.ts';
import { browseFacts, getFact, notFound, saveFact, saveProcedure } from './facts.ts';
import type { Facts, SavedFact, MemoryWriter } from './facts.ts';
import type * as input from './inputs.ts';
import { isBound, type ScopeArgs, sightOf } from './rules.ts';
import { embeddingProgress } from './embedding.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { search } from './search.ts';
import { exportPage, type ExportPage, type ImportCounts, importRecords } from './transfer.ts';
import type { Uses } from './uses.ts';
import { toDetail, toFact, toSaved } from './views.ts';
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

export function createMemoryDesk({ db, acting, facts, meaning, uses, via }: DeskParts) {
  /** The provenance of what names no source of its own. */
  const surface = via === 'tool' ? 'mcp' : 'rest';
  const change = <T>(call: Change, unit: (writer: MemoryWriter) => Promise<T>): Promise<T> =>
    acting.change({ ...call, via, args: { ...call.args } }, (tx) => unit(facts.in(tx, call.who)));
  const look = <T>(unit: (q: Query) => Promise<T>): Promise<T> => db.read(unit);

  /** The answer to a save, with the facts that say nearly the same and what differs. */
  async function offer(saved: SavedFact): Promise<Saved> {
    if (saved.similar.length === 0) return toSaved(saved);
    return toSaved(saved, await look((q) => rows.factsByIds(q, everything, saved.similar)));
  }

  async function describeProvider() {
    const provider = await meaning.provider();
    return { id: provider?.id ?? null, available: provider !== undefined && !meaning.isOpen() };
  }

  return {
    async save(who: Principal, args: Said<typeof input.saveShape>): Promise<Saved> {
      const source = args.source ?? surface;
      if (args.procedureName !== undefined) {
        const procedure = { ...args, name: args.procedureName, source };
        const { id } = await change({ who, name: 'memory_save', args }, async (writer) => ({
          id: (await saveProcedure(writer, procedure)).id,
        }));
        const stored = await look((q) => procedureRows.procedureById(q, everything, id));
        if (!stored) throw notFound(id);
        return { saved: 'procedure', procedure: stored };
      }
      const { title } = args;
      if (title === undefined || title.trim() === '')
        throw new HubError('invalid', 'a fact requires a title (or set procedureName for a procedure)');
      const fact = { ...args, title, tags: args.tags ?? [], source };
      if (args.idempotencyKey === undefined)
        return offer(await change({ who, name: 'memory_save' }, (writer) => saveFact(writer, fact)));
      // An answer kept for repetition must not keep text that may be forgotten, so only ids are kept.
      const kept = await change({ who, name: 'memory_save', args }, async (writer) => {
        const saved = await saveFact(writer, fact);
        return { id: saved.fact.id, duplicate: saved.duplicate, similar: [...saved.similar] };
      });
      const stored = await look((q) => rows.factById(q, everything, kept.id));
      if (!stored) throw notFound(kept.id);
      return offer({ ...kept, fact: stored });
    },

    async search(
      who: Principal,
      { mode = 'fts', limit = 10, ...args }: Said<typeof input.searchShape>,
    ): Promise<SearchAnswer> {
      const answer = await search({ db, meaning }, who, { ...args, mode, limit });
      if (args.asOf === undefined) uses?.asked(who, args, answer);
      return answer;
    },

    async browse(
      who: Principal,
      args: ScopeArgs & Readonly<{ limit?: number | undefined; before?: string | undefined }>,
    ) {
      const found = await look((q) => browseFacts({ q, who }, { ...args, limit: args.limit ?? 10 }));
      return { facts: found.map(toFact) };
    },

    async get(who: Principal, id: string, args: ScopeArgs = {}): Promise<FactDetail> {
      const fact = await look((q) => getFact({ q, who }, id, args));
      uses?.took(who, fact);
      return toDetail(fact);
    },

    async supersede(
      who: Principal,
      args: Omit<Replacement, 'source'> &
        Readonly<{ source?: string | undefined; idempotencyKey?: string | undefined }>,
    ) {
      const { id } = await change({ who, name: 'memory_supersede', args }, async (writer) => {
        const saved = await supersede(writer, { ...args, source: args.source ?? surface });
        return { id: saved.fact.id };
      });
      const [fact, superseded] = await look(async (q) => [
        await rows.factById(q, everything, id),
        await rows.factById(q, everything, args.id),
      ]);
      if (!fact || !superseded) throw notFound(args.id);
      uses?.took(who, { ...superseded, number: fact.number });
      return { fact: toDetail(fact), superseded: toDetail(superseded) };
    },

    /** Of the newest facts in sight: what nobody has looked at for long is not worth a person's time. */
    async duplicates(who: Principal, args: ScopeArgs = {}) {
      const found = await look((q) => browseFacts({ q, who }, { ...args, limit: COMPARED }));
      const groups = nearDuplicates(found).slice(0, MOST_GROUPS);
      return { compared: found.length, groups: groups.map((group) => group.map(toFact)) };
    },

    async merge(who: Principal, args: Omit<Merging, 'source'>) {
      const { id } = await change({ who, name: 'merge' }, async (writer) => {
        const saved = await merge(writer, { ...args, source: surface });
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

    async history(who: Principal, id: string, args: ScopeArgs = {}) {
      const versions = await look((q) => history({ q, who }, { ...args, id }));
      const opened = versions.find((version) => version.id === id);
      if (opened) uses?.took(who, opened);
      return { versions: versions.map(toDetail) };
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
      return { procedure: wanted, versions };
    },

    procedures: async (
      who: Principal,
      args: ScopeArgs & Readonly<{ limit?: number | undefined; after?: string | undefined }>,
    ) => ({
      procedures: await look((q) =>
        procedureRows.latestProcedures(q, sightOf(who, args), {
          limit: args.limit ?? 50,
          after: args.after ?? '',
        }),
      ),
    }),

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

function sameScope(a: Procedure, b: Procedure): boolean {
  return a.scopeAgentId === b.scopeAgentId && a.scopeTeamId === b.scopeTeamId && a.tenantId === b.tenantId;
}
