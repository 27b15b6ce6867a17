import { differenceOf } from '../../recall/recall.ts';
import type { Cite } from './cites/cite.ts';
import type { Fact, FactDetail, MemoryHit, Procedure, Saved } from './fact.ts';
import type { SavedFact } from './facts.ts';
import { holdsIn } from './holds.ts';
import type { StoredFact } from './rows/facts.ts';
import type { StoredProcedure } from './rows/procedures.ts';

/** What a caller is shown of a stored fact. */
export function toFact(fact: Pick<StoredFact, keyof Fact>): Fact {
  const { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt } = fact;
  return { id, title, content, tags, scopeAgentId, scopeTeamId, tenantId, createdAt, updatedAt };
}

export type Vouched = Pick<StoredFact, 'author' | 'createdAt' | 'confirmedBy' | 'confirmedAt' | 'content'>;

/** How far it can be trusted: what it cites, else who said last that it holds; and since or until what it says it does. */
export function standingOf(
  { author, createdAt, confirmedBy, confirmedAt, content }: Vouched,
  cites: readonly Cite[] = [],
): Pick<MemoryHit, 'cites' | 'confirmed' | 'holds'> {
  const isConfirmed = confirmedBy !== null && confirmedAt !== null;
  const confirmed = isConfirmed ? { by: confirmedBy, at: confirmedAt } : { by: author, at: createdAt };
  const holds = holdsIn(content);
  return {
    ...(cites.length > 0 && { cites: [...cites] }),
    ...((cites.length === 0 || isConfirmed) && { confirmed }),
    ...(holds !== undefined && { holds }),
  };
}

/** A procedure among the facts of an answer. */
export function toFactLike(procedure: StoredProcedure): Fact & Pick<MemoryHit, 'version'> {
  const { name, ...rest } = toProcedure(procedure);
  return { ...rest, title: name, tags: [], updatedAt: procedure.createdAt };
}

export function toProcedure(stored: StoredProcedure, cites?: readonly Cite[]): Procedure {
  const {
    cites: _cites,
    confirmedBy: _by,
    confirmedAt: _at,
    author: _author,
    source: _source,
    ...shown
  } = stored;
  if (cites === undefined) return shown;
  const { holds: _holds, ...standing } = standingOf(stored, cites);
  return { ...shown, ...standing };
}

export function toDetail(stored: StoredFact, cites?: readonly Cite[]): FactDetail {
  const { number: _number, scope: _scope, cites: _cites, ...rest } = stored;
  const { confirmedBy: _by, confirmedAt: _at, refutedBy, refutedAt, refutedWhy, ...shown } = rest;
  return {
    ...shown,
    ...standingOf(stored, cites),
    ...(refutedBy !== null &&
      refutedAt !== null && { refuted: { by: refutedBy, at: refutedAt, reason: refutedWhy ?? '' } }),
  };
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
