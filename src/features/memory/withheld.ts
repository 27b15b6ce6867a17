// A person's forgetting, which can be taken back for a day. What is withheld stands in a table of its own and in no
// other: no search, list, export or tool can show what is not there. After a day, or at once with `now`, it is gone.
import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../../store/database.ts';
import { fileProcedure, memoryRecall } from './file-procedures.ts';
import { changeable, changeableProcedure, earlier, unfileVersion } from './lifecycle.ts';
import { notFound, teamOf, type MemoryWriter } from './facts.ts';
import { SPACE } from './rules.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import * as kept from './rows/withheld.ts';

const DAY = 86_400_000;
const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

export type Withheld = Readonly<{ forgotten: readonly string[]; until: number }>;

export async function withhold(writer: MemoryWriter, id: string): Promise<Withheld> {
  const { tx } = writer;
  const newest = await changeable(writer, id);
  const chain = await earlier(tx, newest);
  const facts: kept.KeptFact[] = [];
  for (const { id: each } of chain) facts.push((await kept.factRow(tx, each))!);
  const until = tx.now + DAY;
  await kept.withholdRow(tx, {
    id,
    scope_no: newest.scope,
    kind: 'fact',
    entry: JSON.stringify(facts),
    at: tx.now,
    until,
  });
  for (const fact of chain) {
    await memoryRecall.forget(tx, fact.number);
    await rows.deleteFact(tx, fact.id);
  }
  tx.emit({
    kind: 'memory.withheld',
    subject: id,
    realm: 'hub',
    ...teamOf(newest.scopeTeamId),
    data: { until },
  });
  return { forgotten: chain.map((fact) => fact.id), until };
}

export async function withholdProcedure(writer: MemoryWriter, id: string): Promise<Withheld> {
  const { tx } = writer;
  const { scopeTeamId } = await changeableProcedure(writer, id);
  const { scope } = (await procedureRows.identityOf(tx, id))!;
  const entry = JSON.stringify(await kept.procedureRow(tx, id));
  const until = tx.now + DAY;
  await kept.withholdRow(tx, { id, scope_no: scope, kind: 'procedure', entry, at: tx.now, until });
  await unfileVersion(tx, id);
  tx.emit({ kind: 'memory.withheld', subject: id, realm: 'hub', ...teamOf(scopeTeamId), data: { until } });
  return { forgotten: [id], until };
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
  const facts = (JSON.parse(row.entry) as kept.KeptFact[]).reverse();
  const returning = new Set(facts.map(({ id }) => id));
  for (const fact of facts) {
    await refuseSecond(tx, fact, row.scope_no);
    const { number } = await memoryRecall.add(tx, {
      id: fact.id,
      scope: row.scope_no,
      seat: '',
      episode: row.id,
      title: fact.title,
      content: fact.content,
      tags: JSON.parse(fact.tags) as string[],
    });
    const successor = fact.superseded_by;
    const isThere =
      successor !== null &&
      (returning.has(successor) || (await rows.factById(tx, everything, successor)) !== undefined);
    await kept.putBackFact(
      tx,
      { ...fact, superseded_by: isThere ? successor : null },
      { number, scope: row.scope_no },
    );
    if (isThere && !returning.has(successor)) await rows.linkPredecessor(tx, successor, fact.id);
    if (fact.valid_to !== null) await memoryRecall.retire(tx, number);
    else await noteSaved((await rows.factById(tx, everything, fact.id))!);
  }
  return facts.map(({ id }) => id).reverse();
}

/** The same words stand once in a scope: who saved them again meanwhile has them already. */
async function refuseSecond(tx: Tx, fact: kept.KeptFact, scope: number): Promise<void> {
  const known = fact.valid_to === null ? await rows.holding(tx, scope, fact.hash) : undefined;
  if (known === undefined) return;
  throw new HubError('conflict', `The same fact was saved again as ${known}.`, {
    id: known,
    hint: 'It is there: nothing has to be brought back.',
  });
}

async function putBackVersion(tx: Tx, row: kept.WithheldRow): Promise<string[]> {
  const one = JSON.parse(row.entry) as kept.KeptProcedure;
  await tx.lock(`procedure:${row.scope_no}:${one.name}`);
  const newest = await procedureRows.newestVersion(tx, row.scope_no, one.name);
  if (newest?.version === one.version)
    throw new HubError('conflict', `Version ${one.version} of ${one.name} was saved again.`, {
      hint: 'Read it with `holdfast memory list --procedures`.',
    });
  await kept.putBackProcedure(tx, one, row.scope_no);
  if (newest === undefined || newest.version < one.version)
    await fileProcedure(tx, { id: one.id, scope: row.scope_no, name: one.name, content: one.content });
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
  const ids = isFact ? (JSON.parse(row.entry) as kept.KeptFact[]).map(({ id }) => id) : [row.id];
  await kept.dropWithheld(tx, row.id);
  for (const id of ids)
    tx.emit({ kind: isFact ? 'memory.forgotten' : 'procedure.forgotten', subject: id, realm: 'hub' });
  return ids;
}

export type WithheldNote = Readonly<{ id: string; kind: 'fact' | 'procedure'; at: number; until: number }>;

export function listWithheld(q: Query, now: number): Promise<WithheldNote[]> {
  return kept.listWithheldRows(q, now);
}
