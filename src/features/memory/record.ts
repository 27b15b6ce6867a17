import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { StoredFact } from './rows/facts.ts';
import * as input from './inputs.ts';
import type { StoredProcedure } from './rows/procedures.ts';

const scopeId = input.scope.scopeTeamId.unwrap().nullable().default(null);

/** What goes in and out as a file: one record per fact or procedure version. Pure: files and databases are elsewhere. */
export const recordSchema = z
  .object({
    kind: z.enum(['fact', 'procedure']),
    /** Title of a fact, name of a procedure. */
    title: input.title,
    content: input.content,
    tags: input.tags.default([]),
    tenantId: scopeId.describe(
      "The tenant it belongs to; a connection that is bound takes only what is its own tenant's.",
    ),
    scopeTeamId: scopeId.describe('Team; ignored when the connection is bound.'),
    scopeAgentId: scopeId.describe('Agent; ignored when the connection is bound.'),
    source: input.source.optional(),
    author: input.source
      .optional()
      .describe('Who saved it first; taken from connections that are not bound.'),
    createdAt: input.instant.optional().describe('When it was saved first.'),
    episode: input.episode.optional(),
    validFrom: input.instant.optional(),
    validTo: input.instant.nullable().default(null),
    /** Digest of the earlier version that this fact took the place of. */
    replaces: input.episode.max(64).optional(),
  })
  .refine(({ title }) => title.trim() !== '', { path: ['title'], message: 'must not be blank' })
  .refine(({ kind, title }) => kind === 'fact' || title.length <= 200, {
    path: ['title'],
    message: 'of a procedure must have at most 200 characters',
  })
  .refine(({ validFrom, validTo }) => validTo === null || validFrom === undefined || validFrom <= validTo, {
    path: ['validTo'],
    message: 'must not be before validFrom',
  });
export type ExchangeRecord = z.output<typeof recordSchema>;

/** `where` is a place in a file: what is wrong is mended there. */
export function checkRecord(value: unknown, where: string): ExchangeRecord {
  const parsed = recordSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const problem = parsed.error.issues[0];
  throw new HubError(
    'invalid',
    `${where} is not a record: ${problem?.path.join('.') ?? ''} ${problem?.message ?? ''}`.trim(),
    { hint: 'Correct the file there and import it again; what is known already is not saved twice.' },
  );
}

/** What only the export of a whole database knows of a fact. */
export type Ties = Readonly<{ episode: string; replaces: string | undefined }>;

export function recordOfFact(fact: StoredFact, { episode, replaces }: Ties): ExchangeRecord {
  const {
    title,
    content,
    tags,
    tenantId,
    scopeTeamId,
    scopeAgentId,
    source,
    author,
    createdAt,
    validFrom,
    validTo,
  } = fact;
  const text = { title, content, tags, tenantId, scopeTeamId, scopeAgentId };
  const provenance = { source, author, createdAt, episode, validFrom, validTo };
  return { kind: 'fact', ...text, ...provenance, ...(replaces !== undefined && { replaces }) };
}

export function recordOfProcedure(version: StoredProcedure): ExchangeRecord {
  const { name, content, tenantId, scopeTeamId, scopeAgentId, source, author, createdAt } = version;
  const text = { title: name, content, tags: [], tenantId, scopeTeamId, scopeAgentId };
  return { kind: 'procedure', ...text, source, author, createdAt, validTo: null };
}
