import { z } from 'zod';
import { citeSchema } from './cites/cite.ts';

/** The words of the memory room: what a fact, a procedure and a hit look like to every surface. */
export const MODES = ['fts', 'vector', 'hybrid'] as const;
export type Mode = (typeof MODES)[number];

export const KINDS = ['fact', 'procedure'] as const;

const instant = z.int().describe('Milliseconds since the epoch.');

const scopeFields = {
  scopeAgentId: z.string().nullable(),
  scopeTeamId: z.string().nullable(),
  tenantId: z.string().nullable(),
};

export const factSchema = z.object({
  id: z.string(),
  title: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  ...scopeFields,
  createdAt: instant,
  updatedAt: instant,
});
export type Fact = z.infer<typeof factSchema>;

/** How far it can be trusted now. */
const standingFields = {
  cites: z.array(citeSchema).optional().describe('The code it is about, and whether that still stands.'),
  confirmed: z
    .object({ by: z.string(), at: instant })
    .optional()
    .describe('Who said last that it holds, and when; at first whoever saved it. Of what cites nothing.'),
  holds: z.string().optional().describe('Since or until what it holds, in its own words: "since v3".'),
};

/** A fact with where it came from and how long it held. */
export const factDetailSchema = factSchema.extend({
  author: z.string().describe('Who saved it.'),
  authorAsserted: z.boolean().describe('The author was named by an argument, not proven by a credential.'),
  source: z.string().describe('Where it came from.'),
  validFrom: instant,
  validTo: instant.nullable().describe('Null while it holds.'),
  supersededBy: z.string().nullable(),
  supersedes: z.string().nullable(),
  episode: z.int().describe('Facts of one stretch of an episode share this number.'),
  position: z.int().describe('Place within that stretch.'),
  ...standingFields,
  refuted: z
    .object({ by: z.string(), at: instant, reason: z.string() })
    .optional()
    .describe('Who said that it was wrong, and why.'),
});
export type FactDetail = z.infer<typeof factDetailSchema>;

export const procedureSchema = z.object({
  id: z.string(),
  name: z.string(),
  version: z.int(),
  content: z.string(),
  ...scopeFields,
  createdAt: instant,
  cites: standingFields.cites,
  confirmed: standingFields.confirmed,
});
export type Procedure = z.infer<typeof procedureSchema>;

const hitSchema = factSchema.extend({
  score: z.number().describe('0 to 1; comparable within one answer.'),
  matchedVia: z.enum(MODES),
  kind: z.enum(KINDS).describe('A procedure has its name as title.'),
  version: z.int().optional().describe('Of a procedure.'),
  why: z
    .union([z.string(), z.record(z.string(), z.number())])
    .describe('Why it was found, in words; with explain what each signal added to the score.'),
  validTo: instant.nullable().optional().describe('Only for facts that no longer hold.'),
  reason: z.string().optional().describe('With explain: why it was found, in words.'),
  ...standingFields,
  cut: z.literal(true).optional().describe('Only the passage that answers best; memory_get has the rest.'),
});
export type MemoryHit = z.infer<typeof hitSchema>;

/** That something was wrong, for whoever was given it. */
export const tidingSchema = z.object({
  id: z.string(),
  title: z.string(),
  reason: z.string(),
  by: z.string(),
  readAt: instant,
  text: z.string(),
});
export type Tiding = z.infer<typeof tidingSchema>;

export const searchSchema = z.object({
  results: z.array(hitSchema),
  mode: z.enum(MODES).describe('How it was searched; fts when the asked mode was not possible.'),
  degraded: z.string().optional().describe('Why the asked mode was not possible.'),
  confident: z
    .boolean()
    .optional()
    .describe(
      'False when the best result is probably about something else; then do not act on it unchecked.',
    ),
  note: z.string().optional(),
  refuted: z
    .array(tidingSchema)
    .optional()
    .describe('What the asker was given before and has been refuted since.'),
});
export type SearchAnswer = z.infer<typeof searchSchema>;

export const savedSchema = z.object({
  saved: z.enum(['fact', 'procedure']),
  fact: factSchema.optional(),
  procedure: procedureSchema.optional(),
  duplicate: z.boolean().optional().describe('This exact fact was known already; it is answered unchanged.'),
  similar: z
    .array(z.string())
    .optional()
    .describe('Ids of facts that say nearly the same. Consider memory_supersede.'),
  nearDuplicates: z
    .array(
      z.object({
        id: z.string(),
        title: z.string(),
        onlyHere: z.array(z.string()).describe('Words of the fact just saved that the other lacks.'),
        onlyThere: z.array(z.string()).describe('Words of the other that the fact just saved lacks.'),
      }),
    )
    .optional()
    .describe('The same facts, with what differs.'),
  contradicts: z
    .array(z.string())
    .optional()
    .describe('Ids of facts that hold here and say something else. Nothing was done about them.'),
  contradictions: z
    .array(
      z.object({ id: z.string(), title: z.string(), mine: z.string(), theirs: z.string(), why: z.string() }),
    )
    .optional()
    .describe('The same facts: which words stand against which.'),
  choices: z
    .object({ supersede: z.string(), keepBoth: z.string(), discard: z.string() })
    .optional()
    .describe('What can be done about a contradiction.'),
});
export type Saved = z.infer<typeof savedSchema>;
