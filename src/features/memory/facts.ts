// Facts and procedures, saved and read. Changes take a transaction, reads a snapshot; scopes bound both.
import { sha256 } from '../../kernel/digest.ts';
import type { ScopeTags } from '../../recall/recall.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { StoredCite } from './cites/cite.ts';
import { fileProcedure, memoryRecall } from './file-procedures.ts';
import { filingOf, holdsSince, scrubContent, scrubFact, savedFrom, sightOf } from './rules.ts';
import type { FactText, FilingArgs, ScopeArgs } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import type { StoredFact } from './rows/facts.ts';
import type { StoredProcedure } from './rows/procedures.ts';

export type NewFact = ScopeArgs &
  FactText &
  Readonly<{
    episode?: string | undefined;
    source: string;
    validFrom?: number | undefined;
    /** The id of the version it takes the place of. */
    supersedes?: string | undefined;
    /** As they were taken in the files of who saves it. */
    taken?: readonly StoredCite[] | undefined;
  }>;

type NewProcedure = FilingArgs &
  Readonly<{
    name: string;
    content: string;
    source: string;
    taken?: readonly StoredCite[] | undefined;
  }>;

export type SavedFact = Readonly<{ fact: StoredFact; duplicate: boolean; similar: readonly string[] }>;

/** Called in the transaction of a save, so that whatever follows from it cannot be lost. */
export type OnSaved = (tx: Tx, fact: StoredFact) => Promise<void>;

/** Who reads memory, in one snapshot; and who changes it, in one transaction. Bound once for each call. */
export type MemoryReader = Readonly<{ q: Query; who: Principal }>;
export type MemoryWriter = MemoryReader &
  Readonly<{
    tx: Tx;
    /** What follows from a save, also for a fact that comes back. */
    noteSaved(fact: StoredFact): Promise<void>;
  }>;

export interface Facts {
  in(tx: Tx, who: Principal): MemoryWriter;
}

export function createFacts({ onSaved }: Readonly<{ onSaved?: OnSaved }> = {}): Facts {
  return { in: (tx, who) => ({ q: tx, tx, who, noteSaved: async (fact) => onSaved?.(tx, fact) }) };
}

export function saveFact(writer: MemoryWriter, fact: NewFact): Promise<SavedFact> {
  return fileFact(writer, filingOf(writer.who, fact), { ...fact, ...scrubFact(fact) });
}

/** Files a scrubbed fact under exactly these tags. */
export async function fileFact(writer: MemoryWriter, tags: ScopeTags, fact: FiledFact): Promise<SavedFact> {
  const saved = await insertOnce(writer, tags, fact);
  if (!saved.duplicate) await writer.noteSaved(saved.fact);
  return saved;
}

export async function saveProcedure(writer: MemoryWriter, procedure: NewProcedure): Promise<StoredProcedure> {
  const { tx, who } = writer;
  const { row, team, newest } = await lookUpProcedure(writer, procedure);
  const id = newId();
  const version = (newest?.version ?? 0) + 1;
  await procedureRows.insertProcedure(tx, { id, version, ...row, cites: someOf(procedure.taken) });
  await fileProcedure(tx, { id, ...row });
  tx.emit({ kind: 'procedure.saved', subject: id, realm: 'hub', ...teamOf(team), data: { version } });
  return (await procedureRows.procedureById(tx, sightOf(who, procedure), id))!;
}

/** Is this what its newest version says already? */
export async function hasProcedure(writer: MemoryWriter, procedure: NewProcedure): Promise<boolean> {
  const { row, newest } = await lookUpProcedure(writer, procedure);
  return newest?.content === row.content;
}

export async function getFact(
  { q, who }: MemoryReader,
  id: string,
  args: ScopeArgs = {},
): Promise<StoredFact> {
  const fact = await rows.factById(q, sightOf(who, args), id);
  if (!fact) throw notFound(id);
  return fact;
}

type BrowsePage = ScopeArgs & Readonly<{ limit: number; before?: string | undefined }>;

/** Greater than any id. */
const AFTER_ALL = '~';

export function browseFacts({ q, who }: MemoryReader, page: BrowsePage): Promise<StoredFact[]> {
  const { limit, before = AFTER_ALL, ...args } = page;
  return rows.recentFacts(q, sightOf(who, args), { limit, before });
}

/** Versions are gapless: from here on writers of one procedure take turns, and the unique index is the proof. */
async function lookUpProcedure(
  { tx, who }: MemoryWriter,
  { content, name, source, taken: _taken, ...args }: NewProcedure,
) {
  const tags = filingOf(who, args);
  const scope = await memoryRecall.scope(tx, tags);
  const row = { scope, name: redact(name), content: scrubContent(content), source: redact(source) };
  await tx.lock(`procedure:${scope}:${row.name}`);
  return { row, team: tags.team, newest: await procedureRows.newestVersion(tx, scope, row.name) };
}

export function notFound(id: string): HubError {
  return new HubError('not_found', `not found: ${id}`, {
    id,
    hint: 'Search or browse for the ids you can see.',
  });
}

export function teamOf(team: string | null): { team?: string } {
  return team === null || team === '' ? {} : { team };
}

type FiledFact = FactText & Pick<NewFact, 'episode' | 'source' | 'validFrom' | 'supersedes' | 'taken'>;

/** Nothing cited is nothing kept. */
const someOf = (cites: readonly StoredCite[] | undefined): readonly StoredCite[] | null =>
  cites && cites.length > 0 ? cites : null;

/** The same fact filed twice is one fact. */
async function insertOnce({ tx, who }: MemoryWriter, tags: ScopeTags, fact: FiledFact): Promise<SavedFact> {
  const digest = hashOf(fact);
  // Two that save the same fact at once take turns, so the second finds the first one's.
  await tx.lock(`fact:${digest}`);
  const filing = await rows.findFiling(tx, tags, digest);
  if (filing?.known)
    return { fact: (await rows.factById(tx, tags, filing.known))!, duplicate: true, similar: [] };
  const scope = filing?.scope ?? (await memoryRecall.scope(tx, tags));
  const id = newId();
  const { title, content, episode } = fact;
  const { number, similar } = await memoryRecall.add(tx, {
    id,
    scope,
    seat: savedFrom(who),
    episode,
    title,
    content,
    tags: fact.tags,
  });
  const filed = await rows.insertFact(tx, tags, {
    id,
    number,
    scope,
    hash: digest,
    title,
    content,
    tags: [...fact.tags],
    source: redact(fact.source),
    validFrom: holdsSince(fact.validFrom, tx.now),
    supersedes: fact.supersedes ?? null,
    cites: someOf(fact.taken),
  });
  tx.emit({ kind: 'memory.saved', subject: id, realm: 'hub', ...teamOf(tags.team) });
  return { fact: filed, duplicate: false, similar };
}

/** What a fact says, and nothing of when or by whom: the same text in the same scope is the same fact. */
export function hashOf({ title, content, tags }: FactText): string {
  return sha256(JSON.stringify([title, content, [...tags].sort()]), 'base64url').slice(0, 22);
}
