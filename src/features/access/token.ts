import { z } from 'zod';
import { redact } from '../../kernel/redact.ts';
import { isReservedName } from '../../kernel/reserved-names.ts';
import { SCOPES } from './scopes.ts';

/** The words of access: what an agent token looks like to every surface. Its secret is shown once, when it is made. */
const instant = z.int().describe('Milliseconds since the epoch.');

const name = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters');
/** A name is shown to everybody, and who bears one that means somebody else would pass for them. */
const bearer = name
  .refine((text) => !isReservedName(text), 'is a name that means somebody already, such as user or holdfast')
  .refine((text) => redact(text) === text, 'must not hold a secret');

export const agentTokenSchema = z.object({
  id: z.string(),
  agent: z.string(),
  team: z.string().nullable(),
  scopes: z.array(z.string()),
  label: z.string().nullable(),
  profile: z.string().nullable(),
  createdAt: instant,
  expiresAt: instant.nullable(),
  revokedAt: instant.nullable(),
  usedAt: instant.nullable().describe('Last use, to within a few minutes.'),
  state: z.enum(['active', 'expired', 'revoked']),
});
export type AgentToken = z.infer<typeof agentTokenSchema>;

export const newTokenSchema = z.object({
  agent: bearer.describe('Who its holder is, whatever a call says.'),
  team: name
    .refine((text) => redact(text) === text, 'must not hold a secret')
    .optional()
    .describe('The only team its holder sees.'),
  scopes: z
    .array(z.enum(['*', ...SCOPES]))
    .min(1)
    .max(50)
    .optional()
    .describe('What its holder may do; everything an agent may do (*) unless given.'),
  expiresAt: instant.optional(),
  label: name.optional().describe('What it is for.'),
  profile: z
    .string()
    .regex(/^[a-z][a-z0-9-]{0,31}$/)
    .optional()
    .describe('The view through which its holder sees /mcp, whatever its URL says.'),
});
export type NewToken = z.infer<typeof newTokenSchema>;
