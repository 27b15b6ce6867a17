// A person's forgetting, which can be taken back for a day. What is withheld stands in a table of its own and in no
// other: no search, list, export or tool can show what is not there. After a day, or at once with `now`, it is gone.
import { HubError } from '../../kernel/errors.ts';
import type { Tx } from '../../store/database.ts';
import type { StoredRow } from '../../store/table.ts';
import { fileProcedure, memoryRecall } from './file-procedures.ts';
import { changeable, changeableProcedure, earlier, unfileVersion } from './lifecycle.ts';
import { notFound, teamOf, type MemoryWriter } from './facts.ts';
import { SPACE } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { forgetReaders } from './rows/readers.ts';
import * as kept from './rows/withheld.ts';

const DAY = 86_400_000;
const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

export type Withheld = Readonly<{ forgotten: readonly string[]; until: number }>;

export async function withhold(writer: MemoryWriter, id: string): Promise<Withheld> {
  const { tx } = writer;
  const newest = await changeable(writer, id);
  const chain = await earlier(tx, newest);
  const entry: StoredRow[] = [];
  for (const fact of chain) entry.push((await rows.storedFact(tx, fact.id))!);
  const until = tx.now + DAY;
  await kept.withholdRow(tx, { id, scope: newest.scope, kind: 'fact', entry, at: tx.now, until });
  for (const fact of chain) {
    await memoryRecall.forget(tx, fact.number);
    // Who was given it is kept until it is final: it may come back, and turn out to be wrong.
    await rows.deleteFact(tx, fact.id);
  }
  tellWithheld(tx, id, { team: newest.scopeTeamId, until });
  return { forgotten: chain.map((fact) => fact.id), until };
}

export async function withholdProcedure(writer: MemoryWriter, id: string): Promise<Withheld> {
  const { tx } = writer;
  const { scopeTeamId: team } = await changeableProcedure(writer, id);
  const entry = (await procedureRows.storedVersion(tx, id))!;
  const { scope } = procedureRows.readKeptVersion(entry);
  const until = tx.now + DAY;
  await kept.withholdRow(tx, { id, scope, kind: 'procedure', entry, at: tx.now, until });
  await unfileVersion(tx, id);
  tellWithheld(tx, id, { team, until });
  return { forgotten: [id], until };
}

function tellWithheld(
  tx: Tx,
  id: string,
  { team, until }: Readonly<{ team: string | null; until: number }>,
): void {
  tx.emit({ kind: 'memory.withheld', subject: id, realm: 'hub', ...teamOf(team), data: { until } });
}

export type Restored = Readonly<{ restored: readonly string[] }>;

export async function restore(writer: MemoryWriter, id: string): Promise<Restored> {
  const { tx } = writer;
  const row = await kept.withheldRow(tx, id);
  if (!row || row.until <= tx.now) throw notFound(id);
  await kept.dropWithheld(tx, id);
  const restored = row.kind === 'fact' ? await putBackFacts(writer, row) : await putBackVersion(tx, row);
  tx.emit({ kind: 'memory.restored', subject: id, realm: 'hub' });
  return { restored };
}

/** Oldest first. It comes back with its id, its author and its times; only its place in the index is a new one. */
async function putBackFacts({ tx, noteSaved }: MemoryWriter, row: kept.WithheldRow): Promise<string[]> {
  const facts = keptRows(row).map(rows.readKeptFact).reverse();
  const returning = new Set(facts.map(({ id }) => id));
  for (const fact of facts) {
    await refuseSecond(tx, fact, row.scope);
    const { id, title, content, tags, supersededBy: successor } = fact;
    const { scope } = row;
    const { number } = await memoryRecall.add(tx, {
      id,
      scope,
      seat: '',
      episode: row.id,
      title,
      content,
      tags,
    });
    const isThere =
      successor !== null &&
      (returning.has(successor) || (await rows.factById(tx, everything, successor)) !== undefined);
    await rows.putBackFact(tx, { ...fact, supersededBy: isThere ? successor : null, number, scope });
    if (isThere && !returning.has(successor)) await rows.changeFact(tx, successor, { supersedes: id });
    if (fact.validTo !== null) await memoryRecall.retire(tx, number);
    else await noteSaved((await rows.factById(tx, everything, id))!);
  }
  return facts.map(({ id }) => id).reverse();
}

/** The same words stand once in a scope: who saved them again meanwhile has them already. */
async function refuseSecond(tx: Tx, fact: rows.HashedFact, scope: number): Promise<void> {
  const known = fact.validTo === null ? await rows.holding(tx, scope, fact.hash) : undefined;
  if (known === undefined) return;
  throw new HubError('conflict', `The same fact was saved again as ${known}.`, {
    id: known,
    hint: 'It is there: nothing has to be brought back.',
  });
}

async function putBackVersion(tx: Tx, row: kept.WithheldRow): Promise<string[]> {
  const was = { ...procedureRows.readKeptVersion(keptRows(row)[0]!), scope: row.scope };
  await tx.lock(`procedure:${row.scope}:${was.name}`);
  const newest = await procedureRows.newestVersion(tx, row.scope, was.name);
  if (newest?.version === was.version)
    throw new HubError('conflict', `Version ${was.version} of ${was.name} was saved again.`, {
      hint: 'Read it with `holdfast memory list --procedures`.',
    });
  // Where projects were put together meanwhile, its number is another version's.
  const isTaken = newest !== undefined && (await procedureRows.hasVersion(tx, was));
  const one = isTaken ? { ...was, version: newest.version + 1 } : was;
  await procedureRows.putBackProcedure(tx, one);
  if (newest === undefined || newest.version < one.version) await fileProcedure(tx, one);
  return [one.id];
}

/** Ends the day of grace for one. False when it is not withheld. */
export async function forgetWithheld(tx: Tx, id: string): Promise<readonly string[] | undefined> {
  const row = await kept.withheldRow(tx, id);
  return row && finish(tx, row);
}

const AT_ONCE = 200;

/** Tidies what nobody took back. Nothing depends on it having run: after its day it cannot be taken back either way. */
export async function sweepWithheld(tx: Tx): Promise<number> {
  const due = await kept.dueRows(tx, tx.now, AT_ONCE);
  for (const row of due) await finish(tx, row);
  return due.length;
}

async function finish(tx: Tx, row: kept.WithheldRow): Promise<readonly string[]> {
  const isFact = row.kind === 'fact';
  const ids = keptRows(row).map(({ id }) => id as string);
  await kept.dropWithheld(tx, row.id);
  for (const id of ids) {
    await forgetReaders(tx, id);
    tx.emit({ kind: isFact ? 'memory.forgotten' : 'procedure.forgotten', subject: id, realm: 'hub' });
  }
  return ids;
}

const keptRows = ({ entry }: kept.WithheldRow): readonly StoredRow[] => [entry].flat();
