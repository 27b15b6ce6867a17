// What becomes of a fact: replaced, forgotten, looked back on. What is forgotten is gone from text, words
// and vectors.
import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../../store/database.ts';
import { fileProcedure, memoryRecall } from './file-procedures.ts';
import { fileFact, getFact, notFound, teamOf } from './facts.ts';
import type { NewFact, MemoryReader, SavedFact, MemoryWriter } from './facts.ts';
import { holdsSince, mayChange, type ScopeArgs, scrubFact, sightOf, SPACE } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { forgetReaders } from './rows/readers.ts';
import type { StoredFact } from './rows/facts.ts';
import type { StoredProcedure } from './rows/procedures.ts';

export type Replacement = Readonly<{
  id: string;
  title?: string | undefined;
  content: string;
  tags?: readonly string[] | undefined;
}> &
  Pick<NewFact, 'source' | 'validFrom' | 'taken'>;

export type Forgotten = Readonly<{ forgotten: readonly string[] }>;

/** The new fact takes the old one's place in its scope; the old one stays, for questions about the past. */
export async function supersede(writer: MemoryWriter, replacement: Replacement): Promise<SavedFact> {
  const { tx } = writer;
  const old = await changeable(writer, replacement.id);
  const validTo = holdsSince(replacement.validFrom, tx.now);
  if (validTo < old.validFrom) {
    throw new HubError(
      'invalid',
      `validFrom must not be before ${old.validFrom}, when the old fact began to hold.`,
      { validFrom: old.validFrom },
    );
  }
  if (validTo > tx.now) {
    throw new HubError('invalid', 'validFrom must not be in the future: until then the old fact holds.', {
      now: tx.now,
    });
  }
  if (!(await rows.endFact(tx, old.id, validTo))) {
    throw new HubError('conflict', `already superseded: ${old.id}`, {
      supersededBy: old.supersededBy,
      hint: 'Supersede the newest version instead.',
    });
  }
  // The new one answers the questions that the old one did, in whatever words they were asked.
  const learnt = await memoryRecall.learntOf(tx, old.number);
  await memoryRecall.retire(tx, old.number);
  const { title = old.title, content, tags = old.tags, source, taken } = replacement;
  const text = scrubFact({ title, content, tags });
  const filing = { space: SPACE, ...tagsOf(old) };
  const saved = await fileFact(writer, filing, {
    ...text,
    source,
    validFrom: validTo,
    supersedes: old.id,
    taken,
  });
  await memoryRecall.relearn(tx, saved.fact.number, learnt);
  if (saved.fact.supersedes === null) await rows.changeFact(tx, saved.fact.id, { supersedes: old.id });
  await rows.changeFact(tx, old.id, { supersededBy: saved.fact.id });
  tx.emit({
    kind: 'memory.superseded',
    subject: old.id,
    realm: 'hub',
    ...teamOf(old.scopeTeamId),
    data: { by: saved.fact.id },
  });
  return saved;
}

/** Removes the fact and every earlier version of it: text, words, vectors. What remains is an event that says so. */
export async function forget(writer: MemoryWriter, id: string): Promise<Forgotten> {
  const { tx } = writer;
  const newest = await changeable(writer, id);
  const chain = await earlier(tx, newest);
  for (const fact of chain) {
    await memoryRecall.forget(tx, fact.number);
    await rows.deleteFact(tx, fact.id);
    await forgetReaders(tx, fact.id);
    tx.emit({ kind: 'memory.forgotten', subject: fact.id, realm: 'hub', ...teamOf(fact.scopeTeamId) });
  }
  return { forgotten: chain.map((fact) => fact.id) };
}

type OneFact = ScopeArgs & Readonly<{ id: string }>;

/** All versions of a fact, oldest first. */
export async function history(reader: MemoryReader, { id, ...args }: OneFact): Promise<StoredFact[]> {
  const { q, who } = reader;
  const start = await getFact(reader, id, args);
  const versions = (await earlier(q, start)).reverse();
  for (let next = start.supersededBy; next !== null;) {
    const fact = await rows.factById(q, sightOf(who, args), next);
    if (!fact || versions.some((version) => version.id === fact.id)) break;
    versions.push(fact);
    next = fact.supersededBy;
  }
  return versions;
}

/** The fact and what it replaced, newest first. */
export async function earlier(q: Query, fact: StoredFact): Promise<StoredFact[]> {
  const chain = [fact];
  for (let previous = fact.supersedes; previous !== null;) {
    const older = await rows.factById(q, everything, previous);
    if (!older || older.scope !== fact.scope) break;
    chain.push(older);
    previous = older.supersedes;
  }
  return chain;
}

const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

export function tagsOf({
  tenantId,
  scopeTeamId,
  scopeAgentId,
}: Pick<StoredFact, 'tenantId' | 'scopeTeamId' | 'scopeAgentId'>) {
  return { tenant: tenantId ?? '', team: scopeTeamId ?? '', agent: scopeAgentId ?? '' };
}

/** One change at a time: who comes second sees what is left (memory-races.test.ts). */
export async function changeable(writer: MemoryWriter, id: string): Promise<StoredFact> {
  await writer.tx.lock(`memory:${id}`);
  const fact = await getFact(writer, id);
  if (mayChange(writer.who, tagsOf(fact))) return fact;
  throw new HubError(
    'forbidden',
    `This connection may read ${id} but not change it: it does not belong to its team.`,
    { hint: 'Save what is true for your team as a fact of its own.' },
  );
}

/** A procedure that nobody should follow any more, one version at a time. */
export async function forgetProcedure(writer: MemoryWriter, id: string): Promise<Forgotten> {
  const { tx } = writer;
  const { scopeTeamId } = await changeableProcedure(writer, id);
  await unfileVersion(tx, id);
  tx.emit({ kind: 'procedure.forgotten', subject: id, realm: 'hub', ...teamOf(scopeTeamId) });
  return { forgotten: [id] };
}

export async function changeableProcedure({ tx, who }: MemoryWriter, id: string): Promise<StoredProcedure> {
  await tx.lock(`memory:${id}`);
  const procedure = await procedureRows.procedureById(tx, sightOf(who, {}), id);
  if (!procedure) throw notFound(id);
  if (!mayChange(who, tagsOf(procedure)))
    throw new HubError('forbidden', `This connection may read ${id} but not change it.`);
  return procedure;
}

/** What is found from then on is the newest version that is left. */
export async function unfileVersion(tx: Tx, id: string): Promise<void> {
  const version = await procedureRows.versionRow(tx, id);
  if (!version) return;
  for (const number of await procedureRows.filedNumbers(tx, version.scope, version.name))
    await memoryRecall.forget(tx, number);
  await procedureRows.unfile(tx, version.scope, version.name);
  await procedureRows.deleteProcedure(tx, id);
  await forgetReaders(tx, id);
  const newest = await procedureRows.newestVersion(tx, version.scope, version.name);
  if (newest) await fileProcedure(tx, newest);
}
