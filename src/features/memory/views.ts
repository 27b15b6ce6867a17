import type { Fact, FactDetail, Saved } from './fact.ts';
import type { SavedFact } from './memory.ts';
import type { StoredFact } from './rows/facts.ts';

/** What a caller is shown of a stored fact. */
export function toFact(fact: StoredFact): Fact {
  const { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt } = fact;
  return { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt };
}

export function toDetail({ number: _number, scope: _scope, ...detail }: StoredFact): FactDetail {
  return detail;
}

export function toSaved({ fact, duplicate, similar }: SavedFact): Saved {
  return {
    saved: 'fact',
    fact: toFact(fact),
    ...(duplicate && { duplicate }),
    ...(similar.length > 0 && { similar: [...similar] }),
  };
}
