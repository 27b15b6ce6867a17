import { differenceOf } from '../../recall/recall.ts';
import type { Fact, FactDetail, MemoryHit, Procedure, Saved } from './fact.ts';
import type { SavedFact } from './facts.ts';
import type { StoredFact } from './rows/facts.ts';

/** What a caller is shown of a stored fact. */
export function toFact(fact: StoredFact): Fact {
  const { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt } = fact;
  return { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt };
}

/** A procedure among the facts of an answer. */
export function toFactLike({ name, ...procedure }: Procedure): Fact & Pick<MemoryHit, 'version'> {
  return { ...procedure, title: name, tags: [], updatedAt: procedure.createdAt };
}

export function toDetail({ number: _number, scope: _scope, ...detail }: StoredFact): FactDetail {
  return detail;
}

/** `near`: the facts that say nearly the same. */
export function toSaved({ fact, duplicate, similar }: SavedFact, near: readonly StoredFact[] = []): Saved {
  const text = ({ title, content }: StoredFact): string => `${title} ${content}`;
  const nearDuplicates = near.map((other) => {
    const { onlyHere, onlyThere } = differenceOf(text(fact), text(other));
    return { id: other.id, title: other.title, onlyHere: [...onlyHere], onlyThere: [...onlyThere] };
  });
  return {
    saved: 'fact',
    fact: toFact(fact),
    ...(duplicate && { duplicate }),
    ...(similar.length > 0 && { similar: [...similar] }),
    ...(nearDuplicates.length > 0 && { nearDuplicates }),
  };
}
