// What is asked: found, opened, listed, counted.
import type { Principal } from '../../../kernel/principal.ts';
import { countOldItems, countVectors } from '../../../recall/recall.ts';
import type { Query } from '../../../store/database.ts';
import { MOST_CHARACTERS } from '../brief.ts';
import type { Asker } from '../cites/caller-cites.ts';
import type { StoredCite } from '../cites/cite.ts';
import { nearDuplicates } from '../duplicates.ts';
import type { FactDetail, SearchAnswer } from '../fact.ts';
import { browseFacts, getFact, notFound } from '../facts.ts';
import type * as input from '../inputs.ts';
import { history } from '../lifecycle.ts';
import { embeddingProgress } from '../rows/embedding.ts';
import * as rows from '../rows/facts.ts';
import * as procedureRows from '../rows/procedures.ts';
import { isBound, type ScopeArgs, sightOf } from '../rules.ts';
import { search } from '../search.ts';
import { refutedInWords } from '../tell-refuted.ts';
import { exportPage, type ExportPage } from '../transfer.ts';
import { toDetail, toFact, toProcedure } from '../views.ts';
import type { DeskParts, DeskGround, Sent } from './ground.ts';

export function readsOf(ground: DeskGround, { meaning, uses, readers }: DeskParts) {
  const { db, via, look, standing, detailOf } = ground;

  async function describeProvider() {
    const provider = await meaning.provider();
    return { id: provider?.id ?? null, available: provider !== undefined && !meaning.isOpen() };
  }

  return {
    async search(
      who: Principal,
      { mode = 'fts', limit = 10, folder, quiet, ...args }: Sent<typeof input.searchShape>,
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
      const refuted = via === 'route' && quiet !== true ? await readers?.tidings(who) : undefined;
      return { ...answer, ...(refuted && refuted.length > 0 && { refuted: [...refuted] }) };
    },

    async refuted(who: Principal) {
      return { refuted: [...((await readers?.tidings(who)) ?? [])] };
    },

    /** The same for the model of a client whose hook asks for it. */
    async refutedInWords(who: Principal): Promise<string | undefined> {
      const found = (await readers?.tidings(who)) ?? [];
      return found.length === 0 ? undefined : refutedInWords(found);
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

    /** Of the newest facts in sight: what nobody has looked at for long is not worth a person's time. */
    async duplicates(who: Principal, args: ScopeArgs = {}) {
      const found = await look((q) => browseFacts({ q, who }, { ...args, limit: COMPARED }));
      const groups = nearDuplicates(found).slice(0, MOST_GROUPS);
      readers?.gave(
        who,
        groups.flat().map(({ id }) => id),
      );
      return { compared: found.length, groups: groups.map((group) => group.map(toFact)) };
    },

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

function sameScope(a: procedureRows.StoredProcedure, b: procedureRows.StoredProcedure): boolean {
  return a.scopeAgentId === b.scopeAgentId && a.scopeTeamId === b.scopeTeamId && a.tenantId === b.tenantId;
}
