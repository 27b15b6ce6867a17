// Two projects become one: what each remembers stands in one place afterwards, and nothing of it is lost.
import { countItemsOf, moveLearnt, moveScopes, type ScopePair, stretchOf } from '../../recall/recall.ts';
import type { Tx } from '../../store/database.ts';
import type { OnSaved } from './facts.ts';
import { fileProcedure, memoryRecall } from './file-procedures.ts';
import { earlier } from './lifecycle.ts';
import * as rows from './rows/facts.ts';
import * as procedureRows from './rows/procedures.ts';
import { handOnReaders } from './rows/readers.ts';
import { moveWithheld } from './rows/withheld.ts';
import { SPACE } from './rules.ts';

const AT_ONCE = 500;
const everything = { space: SPACE, tenant: undefined, team: undefined, agent: undefined };

type Move = Readonly<{ from: string; into: string }>;

/** Answers how many memories that were. */
export async function moveMemory(tx: Tx, move: Move, onSaved: OnSaved): Promise<number> {
  const count = await countItemsOf(tx, { space: SPACE, team: move.from });
  for (const pair of await moveScopes(tx, move)) {
    await moveLearnt(tx, pair);
    if (pair.space !== SPACE) continue;
    await moveFacts(tx, pair, onSaved);
    for (const name of await procedureRows.namesIn(tx, pair.from)) await joinProcedure(tx, pair, name);
    await moveWithheld(tx, pair);
  }
  return count;
}

async function moveFacts(tx: Tx, pair: ScopePair, onSaved: OnSaved): Promise<void> {
  for (;;) {
    const some = await rows.oldestOf(tx, pair.from, AT_ONCE);
    for (const fact of some) await moveFact(tx, { fact, pair, onSaved });
    if (some.length < AT_ONCE) return;
  }
}

type Moving = Readonly<{ fact: rows.HashedFact; pair: ScopePair; onSaved: OnSaved }>;

/** With its id, its author and its times; only its place in the index is a new one, beside those it stood beside. */
async function moveFact(tx: Tx, { fact, pair, onSaved }: Moving): Promise<void> {
  const { id, title, content, tags } = fact;
  const learnt = await memoryRecall.learntOf(tx, fact.number);
  await memoryRecall.forget(tx, fact.number);
  const same = fact.validTo === null ? await rows.holding(tx, pair.into, fact.hash) : undefined;
  const { number } = await memoryRecall.add(tx, {
    id,
    scope: pair.into,
    seat: '',
    episode: `moved ${stretchOf(fact.number)}`,
    title,
    content,
    tags,
  });
  const place = { number, scope: pair.into };
  if (same !== undefined) await standBehind(tx, fact, { place, same, learnt });
  else await rows.moveFact(tx, id, place);
  if (same !== undefined || fact.validTo !== null) return memoryRecall.retire(tx, number);
  await memoryRecall.relearn(tx, number, learnt);
  return onSaved(tx, (await rows.factById(tx, everything, id))!);
}

type Double = Readonly<{
  place: Readonly<{ number: number; scope: number }>;
  same: string;
  learnt: Awaited<ReturnType<typeof memoryRecall.learntOf>>;
}>;

/** Both say the same: the one that was there goes on to hold, and the other is the first of its earlier versions. */
async function standBehind(tx: Tx, fact: rows.HashedFact, { place, same, learnt }: Double): Promise<void> {
  const known = (await rows.factById(tx, everything, same))!;
  const first = (await earlier(tx, known)).at(-1)!;
  await rows.moveFact(tx, fact.id, { ...place, validTo: tx.now, supersededBy: first.id });
  await rows.changeFact(tx, first.id, { supersedes: fact.id });
  await rows.changeFact(tx, same, {
    cites: known.cites ?? fact.cites,
    confirmedBy: known.confirmedBy ?? fact.confirmedBy,
    confirmedAt: known.confirmedAt ?? fact.confirmedAt,
  });
  await memoryRecall.relearn(tx, known.number, learnt);
  await handOnReaders(tx, fact.id, same);
}

async function joinProcedure(tx: Tx, { from, into }: ScopePair, name: string): Promise<void> {
  for (const scope of [from, into]) await tx.lock(`procedure:${scope}:${name}`);
  await procedureRows.joinVersions(tx, { from, into, name });
  await fileProcedure(tx, (await procedureRows.newestVersion(tx, into, name))!);
}
