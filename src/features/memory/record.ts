import { z } from 'zod';
import type { FactDetail, Procedure } from './fact.ts';
import * as input from './inputs.ts';

/** What goes in and out as a file: one record per fact or procedure version. Pure: files and databases are elsewhere. */
export const recordSchema = z.object({
  kind: z.enum(['fact', 'procedure']),
  /** Title of a fact, name of a procedure. */
  title: input.title.min(1),
  content: input.content,
  tags: input.tags.default([]),
  scopeTeamId: z.string().max(200).nullable().default(null),
  scopeAgentId: z.string().max(200).nullable().default(null),
  source: input.source.optional(),
  episode: input.episode.optional(),
  validFrom: input.instant.optional(),
  validTo: input.instant.nullable().default(null),
  /** Digest of the earlier version that this fact took the place of. */
  replaces: z.string().max(64).optional(),
});
export type ExchangeRecord = z.output<typeof recordSchema>;

export function recordOfFact(fact: FactDetail, replaces: string | undefined): ExchangeRecord {
  const { title, content, tags, scopeTeamId, scopeAgentId, source, validFrom, validTo } = fact;
  const text = { title, content, tags, scopeTeamId, scopeAgentId, source, episode: `episode ${fact.episode}`, validFrom, validTo };
  return { kind: 'fact', ...text, ...(replaces !== undefined && { replaces }) };
}

export function recordOfProcedure({ name, content, scopeTeamId, scopeAgentId }: Procedure): ExchangeRecord {
  return { kind: 'procedure', title: name, content, tags: [], scopeTeamId, scopeAgentId, validTo: null };
}
