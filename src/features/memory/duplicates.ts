// Facts that say nearly the same: found for a person to look at, and made one when that person says so.
import { HubError } from '../../kernel/errors.ts';
import { overlap, wordsOf } from '../../recall/recall.ts';
import { memoryRecall } from './file-procedures.ts';
import { changeable, earlier, type Replacement, supersede } from './lifecycle.ts';
import { type MemoryWriter, type SavedFact, teamOf } from './facts.ts';
import * as rows from './rows/facts.ts';
import type { StoredFact } from './rows/facts.ts';

/** Two of three words in common; below that, texts are about the same thing and say something else. */
const NEARLY = 0.6;
/** Of fewer words, sharing most of them says nothing. */
const FEW_WORDS = 4;
/** What a long text begins with tells whether it is the same one. */
const READ = 4_000;

/** Facts of one scope that say nearly the same, the largest groups first. */
export function nearDuplicates(facts: readonly StoredFact[]): readonly (readonly StoredFact[])[] {
  const read = facts
    .map((fact) => ({ fact, words: new Set(wordsOf(`${fact.title} ${fact.content}`.slice(0, READ))) }))
    .filter(({ words }) => words.size >= FEW_WORDS);
  const groups: (typeof read)[] = [];
  for (const each of read) {
    const isNear = (other: (typeof read)[number]) =>
      other.fact.scope === each.fact.scope && overlap(other.words, each.words) >= NEARLY;
    const near = groups.filter((group) => group.some(isNear));
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push([...near.flat(), each]);
  }
  return groups
    .filter((group) => group.length > 1)
    .sort((a, b) => b.length - a.length)
    .map((group) => group.map(({ fact }) => fact));
}

export type Merging = Replacement & Readonly<{ with: readonly string[] }>;

/**
 * One fact takes the place of several of the same scope. Each keeps its text and its versions: the history of the new fact
 * holds all of them, a question about the past finds them, and forgetting it forgets them with it.
 */
export async function merge(writer: MemoryWriter, { with: ids, ...kept }: Merging): Promise<SavedFact> {
  const { tx } = writer;
  const main = await changeable(writer, kept.id);
  const others: StoredFact[] = [];
  const learnt: Awaited<ReturnType<typeof memoryRecall.learntOf>>[number][] = [];
  for (const id of [...new Set(ids)].filter((each) => each !== main.id).sort()) {
    const other = await changeable(writer, id);
    if (other.scope !== main.scope)
      throw new HubError(
        'invalid',
        `${id} is seen by others than ${main.id}, and cannot be merged with it.`,
        { hint: 'Merge facts of the same team and agent.' },
      );
    if (!(await rows.endFact(tx, id, tx.now)))
      throw new HubError('conflict', `already superseded: ${id}`, { hint: 'Merge the newest version.' });
    learnt.push(...(await memoryRecall.learntOf(tx, other.number)));
    await memoryRecall.retire(tx, other.number);
    others.push(other);
  }
  if (others.length === 0) throw new HubError('invalid', 'Merging needs another fact to merge with.');
  const saved = await supersede(writer, kept);
  await memoryRecall.relearn(tx, saved.fact.number, learnt);
  // Versions are one line: those of the others come before the first of the one that was kept.
  let first = (await earlier(tx, main)).at(-1)!;
  for (const other of others) {
    await rows.changeFact(tx, first.id, { supersedes: other.id });
    await rows.changeFact(tx, other.id, { supersededBy: saved.fact.id });
    first = (await earlier(tx, other)).at(-1)!;
    const data = { by: saved.fact.id };
    tx.emit({
      kind: 'memory.superseded',
      subject: other.id,
      realm: 'hub',
      ...teamOf(other.scopeTeamId),
      data,
    });
  }
  return saved;
}
