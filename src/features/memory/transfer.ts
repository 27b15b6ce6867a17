import type { Principal } from '../../kernel/principal.ts';
import { HubError } from '../../kernel/errors.ts';
import { retireItem } from '../../recall/index-store.ts';
import type { ScopeTags } from '../../recall/scopes.ts';
import type { Query, Tx } from '../../store/database.ts';
import { recordOfFact, recordOfProcedure } from './record.ts';
import type { ExchangeRecord } from './record.ts';
import type { Memory } from './memory.ts';
import { hashOf } from './memory.ts';
import { filingOf, scrubFact, sightOf, SPACE } from './rules.ts';
import type { ScopeArgs } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { toDetail } from './views.ts';

export type ImportCounts = Readonly<{ saved: number; duplicates: number; declined: number }>;
export type ExportPage = Readonly<{ records: readonly ExchangeRecord[]; next: string | null }>;

const PAGE = 500;

/** Saves what can be saved. A record that is nothing but a secret is counted, not a reason to stop. */
export async function importRecords(
  tx: Tx,
  who: Principal,
  memory: Memory,
  records: readonly ExchangeRecord[],
  source: string,
): Promise<ImportCounts> {
  const counts = { saved: 0, duplicates: 0, declined: 0 };
  for (const record of records) {
    const outcome = await tx.attempt((inner) => importOne(inner, who, memory, record, source)).catch(declined);
    counts[outcome] += 1;
  }
  return counts;
}

function declined(thrown: unknown): 'declined' {
  if (thrown instanceof HubError && thrown.code === 'invalid') return 'declined';
  throw thrown;
}

async function importOne(tx: Tx, who: Principal, memory: Memory, record: ExchangeRecord, source: string): Promise<keyof ImportCounts> {
  const { title, content, tags, episode, validFrom, validTo } = record;
  const scope = { scopeTeamId: record.scopeTeamId ?? undefined, scopeAgentId: record.scopeAgentId ?? undefined };
  const origin = record.source ?? source;
  if (record.kind === 'procedure') {
    const procedure = { ...scope, name: title.slice(0, 200), content, source: origin };
    if (await memory.hasProcedure(tx, who, procedure)) return 'duplicates';
    await memory.saveProcedure(tx, who, procedure);
    return 'saved';
  }
  const filing = filingOf(who, scope);
  if (validTo !== null) {
    const versions = await rows.pastVersions(tx, filing, hashOf(scrubFact(record)));
    if (versions.some((version) => version.validTo === validTo)) return 'duplicates';
  }
  const replaced = record.replaces === undefined ? undefined : await successorless(tx, filing, record.replaces);
  const text = { title, content, tags, episode, validFrom, source: origin };
  const { fact, duplicate } = await memory.save(tx, who, { ...scope, ...text, supersedes: replaced });
  if (duplicate) return 'duplicates';
  if (replaced !== undefined) await rows.linkSuccessor(tx, replaced, fact.id);
  if (validTo !== null && (await rows.endFact(tx, fact.id, validTo))) await retireItem(tx, SPACE, fact.number);
  return 'saved';
}

/** The earlier version that this one took the place of, unless another did already. */
async function successorless(tx: Tx, filing: ScopeTags, hash: string): Promise<string | undefined> {
  const versions = await rows.pastVersions(tx, filing, hash);
  return versions.find((version) => version.supersededBy === null)?.id;
}

/** Facts in the order they were saved, the past included, then the newest version of every procedure. */
export async function exportPage(q: Query, who: Principal, args: ScopeArgs, after: string, pageSize = PAGE): Promise<ExportPage> {
  const sight = sightOf(who, args);
  if (!after.startsWith(PROCEDURES)) {
    const { facts, last } = await rows.allFacts(q, sight, pageSize, after);
    const replaced = await rows.hashesById(
      q,
      facts.flatMap((fact) => fact.supersedes ?? []),
    );
    return { records: facts.map((fact) => recordOfFact(toDetail(fact), replaced.get(fact.supersedes ?? ''))), next: last ?? PROCEDURES };
  }
  const procedures = await procedureRows.latestProceduresById(q, sight, pageSize, after.slice(PROCEDURES.length));
  return { records: procedures.map(recordOfProcedure), next: procedures.length < pageSize ? null : PROCEDURES + procedures.at(-1)!.id };
}

const PROCEDURES = 'procedures:';
