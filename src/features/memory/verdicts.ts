// What somebody who knows says about a fact: that it holds, or that it is wrong. Both stay with it, with who and when.
import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { StoredCite } from './cites/cite.ts';
import type { MemoryWriter } from './facts.ts';
import { teamOf } from './facts.ts';
import { memoryRecall } from './file-procedures.ts';
import { changeable, changeableProcedure, tagsOf } from './lifecycle.ts';
import type { Readers } from './readers.ts';
import { fullSightOf, mayChange } from './rules.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';

/** `cites`: as they were taken anew by who confirms. */
export type Confirming = Readonly<{ id: string; cites: readonly StoredCite[] | null }>;

export async function confirmFact(writer: MemoryWriter, { id, cites }: Confirming): Promise<void> {
  const { tx } = writer;
  const fact = await changeable(writer, id);
  requireHeld(fact);
  await rows.changeFact(tx, id, { cites, confirmedBy: tx.actor.id, confirmedAt: tx.now });
  tx.emit({ kind: 'memory.confirmed', subject: id, realm: 'hub', ...teamOf(fact.scopeTeamId) });
}

export async function confirmProcedure(writer: MemoryWriter, { id, cites }: Confirming): Promise<void> {
  const { tx } = writer;
  const { scopeTeamId } = await changeableProcedure(writer, id);
  await procedureRows.changeVersion(tx, id, { cites, confirmedBy: tx.actor.id, confirmedAt: tx.now });
  tx.emit({ kind: 'memory.confirmed', subject: id, realm: 'hub', ...teamOf(scopeTeamId) });
}

export type Refuting = Readonly<{ id: string; reason: string }>;
export type Refuted = Readonly<{ id: string; told: readonly string[]; copies: string[] }>;

/** Ends the fact and keeps it, with the reason. Who was given it is told; what says the same elsewhere is only named. */
export async function refuteFact(
  writer: MemoryWriter,
  { id, reason }: Refuting,
  readers: Pick<Readers, 'tell'> | undefined,
): Promise<Refuted> {
  const { tx, who } = writer;
  const fact = await changeable(writer, id);
  requireHeld(fact);
  // A fact may begin to hold only later; it ends when it is refuted, and not before it began.
  if (!(await rows.endFact(tx, id, Math.max(tx.now, fact.validFrom)))) throw notHeld(fact);
  await memoryRecall.retire(tx, fact.number);
  const verdict = { refutedBy: tx.actor.id, refutedAt: tx.now, refutedWhy: redact(reason.trim()) };
  await rows.changeFact(tx, id, verdict);
  const told = (await readers?.tell(tx, { ...fact, ...verdict }, who)) ?? [];
  tx.emit({ kind: 'memory.refuted', subject: id, realm: 'hub', ...teamOf(fact.scopeTeamId) });
  const hash = (await rows.hashesById(tx, [id])).get(id)!;
  const same = await rows.copiesOf(tx, fullSightOf(who), hash);
  const copies = same.filter((other) => other.id !== id && mayChange(who, tagsOf(other)));
  return { id, told, copies: copies.map((copy) => copy.id) };
}

function requireHeld(fact: StoredFact): void {
  if (fact.validTo !== null) throw notHeld(fact);
}

function notHeld({ id, supersededBy, refutedBy }: StoredFact): HubError {
  return new HubError(
    'conflict',
    `${id} no longer holds${refutedBy === null ? '' : `: ${refutedBy} refuted it`}.`,
    {
      ...(supersededBy !== null && { supersededBy, hint: 'Judge the newest version instead.' }),
    },
  );
}
