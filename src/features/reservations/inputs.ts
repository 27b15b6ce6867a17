import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { nameField } from '../../operation/identity.ts';

/** Arguments as tools and routes accept them; patterns are read by the rules. */
export const taskId = nameField().describe('The task you hold.');
export const patterns = z.array(z.string().min(1).max(500)).min(1).max(100);
export const root = z
  .string()
  .max(1000)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');
export const path = z.string().min(1).max(500);

export const reserving = {
  patterns: patterns.describe('Paths from the root of the working copy, with *, ** and ?.'),
  root: root
    .optional()
    .describe(
      'Which working copy, when there are several; the one you work in unless given. Patterns of different ones never meet.',
    ),
  exclusive: z.boolean().optional().describe('true unless given.'),
  reason: z.string().min(1).max(500).optional(),
  strict: z.boolean().optional().describe('true: reserve nothing when somebody else works there.'),
};

export const folder = z
  .string()
  .max(4096)
  .refine((path) => isAbsolute(path) && !path.includes('\0'), 'must be an absolute path')
  .describe('The top of the working copy.');
export const kin = z.object({ pid: z.int().min(1), name: z.string().max(256) });
