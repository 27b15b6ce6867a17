// Facts and procedures in and out, in pages. Importing the same file twice changes nothing.
import type { ScopeTags } from '../../recall/recall.ts';
import type { Principal } from '../../kernel/principal.ts';
import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { Query, Tx } from '../../store/database.ts';
import { memoryRecall } from './file-procedures.ts';
import { type ExchangeRecord, recordOfFact, recordOfProcedure } from './record.ts';
import { fileFact, hashOf, hasProcedure, saveProcedure } from './facts.ts';
import type { Facts, MemoryReader, MemoryWriter } from './facts.ts';
import { filingOf, isBound, type ScopeArgs, scrubContent, scrubFact, sightOf } from './rules.ts';
import { firstOfStretches } from './rows/episodes.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';

export type ImportCounts = Readonly<{ saved: number; duplicates: number; declined: number }>;
export type ExportPage = Readonly<{ records: readonly ExchangeRecord[]; next: string | null }>;

type Import = Readonly<{ records: readonly ExchangeRecord[]; source: string }>;
type ImportedRecord = Readonly<{ record: ExchangeRecord; source: string }>;
type PageRequest = Readonly<{ after: string; limit?: number }>;

const PAGE = 500;

/** Saves what can be saved. A record that is nothing but a secret is counted, not a reason to stop. */
export async function importRecords(
  { tx, who }: MemoryWriter,
  facts: Facts,
  { records, source }: Import,
): Promise<ImportCounts> {
  const counts = { saved: 0, duplicates: 0, declined: 0 };
  for (const record of records) {
    const outcome = await tx
      .attempt((inner) => importOne(facts.in(inner, who), { record, source }))
      .catch(declined);
    counts[outcome] += 1;
  }
  return counts;
}

function declined(thrown: unknown): 'declined' {
  if (thrown instanceof HubError && thrown.code === 'invalid') return 'declined';
  throw thrown;
}

async function importOne(
  writer: MemoryWriter,
  { record, source }: ImportedRecord,
): Promise<keyof ImportCounts> {
  const { tx, who } = writer;
  const filing = {
    tenantId: tenantOf(who, record),
    scopeTeamId: record.scopeTeamId ?? undefined,
    scopeAgentId: record.scopeAgentId ?? undefined,
  };
  const origin = record.source ?? source;
  const tags = filingOf(who, filing);
  if (record.kind === 'fact') return importFact(writer, { record, tags, source: origin });
  const procedure = { ...filing, name: record.title, content: record.content, source: origin };
  if ((await hasProcedure(writer, procedure)) || (await isKnownVersion(tx, tags, record)))
    return 'duplicates';
  const { id } = await saveProcedure(writer, procedure);
  const first = firstSaved(writer, record);
  if (first) await procedureRows.keepFirst(tx, id, first);
  return 'saved';
}

/** The same text may come back in a later version, so it is the moment that tells versions apart. */
async function isKnownVersion(
  tx: Tx,
  tags: ScopeTags,
  { title, content, createdAt }: ExchangeRecord,
): Promise<boolean> {
  if (createdAt === undefined) return false;
  const contents = await procedureRows.versionsSavedAt(tx, tags, { name: redact(title), createdAt });
  return contents.includes(scrubContent(content));
}

/** Who and when, as the record tells it, if it does. Nobody who is bound speaks for others. */
function firstSaved(
  { tx, who }: MemoryWriter,
  { author, createdAt }: ExchangeRecord,
): rows.FirstSaved | undefined {
  if (author === undefined && createdAt === undefined) return undefined;
  const isTold = author !== undefined && !isBound(who);
  const saver = isTold
    ? { author: redact(author), authorAsserted: true }
    : { author: tx.actor.id, authorAsserted: tx.actor.asserted };
  return { ...saver, createdAt: createdAt ?? tx.now };
}

/** The wall between tenants: what belongs to one is never filed with another, nor with everybody. */
function tenantOf(who: Principal, { tenantId, title }: ExchangeRecord): string | undefined {
  const tenant = tenantId ?? '';
  if (isBound(who) && tenant !== '' && tenant !== who.bound.tenant) {
    throw new HubError(
      'forbidden',
      `The record "${title}" belongs to the tenant ${tenant}, and this connection does not.`,
      { hint: 'Import it through a connection of that tenant, or as the operator.' },
    );
  }
  return tenant;
}

type Filed = Readonly<{ record: ExchangeRecord; tags: ScopeTags; source: string }>;

async function importFact(
  writer: MemoryWriter,
  { record, tags, source }: Filed,
): Promise<keyof ImportCounts> {
  const { tx } = writer;
  const { episode, validTo } = record;
  const text = scrubFact(record);
  if (validTo !== null) {
    const versions = await rows.pastVersions(tx, tags, hashOf(text));
    if (versions.some((version) => version.validTo === validTo)) return 'duplicates';
  }
  const replaced = record.replaces === undefined ? undefined : await successorless(tx, tags, record.replaces);
  const validFrom = record.validFrom ?? Math.min(tx.now, validTo ?? tx.now);
  const { fact, duplicate } = await fileFact(writer, tags, {
    ...text,
    episode,
    validFrom,
    source,
    supersedes: replaced,
  });
  if (duplicate) return 'duplicates';
  const first = firstSaved(writer, record);
  if (first) await rows.changeFact(tx, fact.id, first);
  if (replaced !== undefined) await rows.changeFact(tx, replaced, { supersededBy: fact.id });
  if (validTo !== null && (await rows.endFact(tx, fact.id, validTo)) && validTo <= tx.now)
    await memoryRecall.retire(tx, fact.number);
  return 'saved';
}

/** The earlier version that this one took the place of, unless another did already. */
async function successorless(tx: Tx, filing: ScopeTags, hash: string): Promise<string | undefined> {
  const versions = await rows.pastVersions(tx, filing, hash);
  return versions.find((version) => version.supersededBy === null)?.id;
}

/** Facts in the order they were saved, the past included, then all versions of procedures. */
export async function exportPage(
  { q, who }: MemoryReader,
  args: ScopeArgs,
  { after, limit = PAGE }: PageRequest,
): Promise<ExportPage> {
  const sight = sightOf(who, args);
  if (!after.startsWith(PROCEDURES)) {
    const { facts, last } = await rows.allFacts(q, sight, { limit, after });
    return { records: await recordsOf(q, facts), next: last ?? PROCEDURES };
  }
  const procedures = await procedureRows.allProcedures(q, sight, {
    limit,
    after: after.slice(PROCEDURES.length),
  });
  return {
    records: procedures.map(recordOfProcedure),
    next: procedures.length < limit ? null : PROCEDURES + procedures.at(-1)!.id,
  };
}

const PROCEDURES = 'procedures:';

/** An episode is named by its first fact: ids are unique, so episodes of two hubs stay two. */
async function recordsOf(q: Query, facts: readonly StoredFact[]): Promise<ExchangeRecord[]> {
  const earlier = facts.flatMap((fact) => fact.supersedes ?? []);
  const replaced = await rows.hashesById(q, earlier);
  const first = await firstOfStretches(q, [...new Set(facts.map((fact) => fact.episode))]);
  return facts.map((fact) =>
    recordOfFact(fact, {
      episode: `episode ${first.get(fact.episode)}`,
      replaces: replaced.get(fact.supersedes ?? ''),
    }),
  );
}
