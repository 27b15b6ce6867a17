import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Tx } from '../../store/database.ts';
import { memoryRecall } from './filing.ts';
import { changeable, supersede } from './lifecycle.ts';
import { type Memory, teamOf } from './memory.ts';
import type { StoredFact } from './rows/facts.ts';
import * as rows from './rows/facts.ts';

export type FactMerge = Readonly<{
  ids: readonly string[];
  title?: string | undefined;
  content?: string | undefined;
  tags?: readonly string[] | undefined;
  source: string;
}>;

/**
 * One fact in the place of several of one scope: its text is what is given, or all of theirs, the newest first. They stay
 * for questions about the past, and go with it when it is forgotten.
 */
export async function merge(tx: Tx, who: Principal, memory: Memory, request: FactMerge): Promise<string> {
  const facts: StoredFact[] = [];
  for (const id of new Set(request.ids)) facts.push(await changeable(tx, who, memory, id));
  refuseUnlike(facts);
  facts.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const [newest, ...others] = facts as [StoredFact, ...StoredFact[]];
  const saved = await supersede(tx, who, memory, {
    id: newest.id,
    title: request.title ?? newest.title,
    content: request.content ?? [...new Set(facts.map(({ content }) => content))].join('\n\n'),
    tags: request.tags ?? [...new Set(facts.flatMap(({ tags }) => tags))],
    source: request.source,
  });
  for (const other of others) {
    // Its own words may be what all of them became.
    if (other.id === saved.fact.id) continue;
    if (!(await rows.endFact(tx, other.id, tx.now))) throw ended(other.id);
    await memoryRecall.retire(tx, other.number);
    await rows.linkSuccessor(tx, other.id, saved.fact.id);
    tx.emit({
      kind: 'memory.superseded',
      subject: other.id,
      realm: 'hub',
      ...teamOf(other.scopeTeamId),
      data: { by: saved.fact.id },
    });
  }
  return saved.fact.id;
}

function refuseUnlike(facts: readonly StoredFact[]): void {
  if (facts.length < 2)
    throw new HubError('invalid', 'A merge takes at least two facts.', {
      hint: 'Name the ids of all of them.',
    });
  const past = facts.find(({ validTo }) => validTo !== null);
  if (past) throw ended(past.id);
  const stranger = facts.find(({ scope }) => scope !== facts[0]!.scope);
  if (stranger)
    throw new HubError('conflict', `${stranger.id} is of another scope than ${facts[0]!.id}.`, {
      hint: 'FactMerge what belongs to the same team and agent.',
    });
}

function ended(id: string): HubError {
  return new HubError('conflict', `already superseded: ${id}`, {
    hint: 'FactMerge the newest version instead.',
  });
}
