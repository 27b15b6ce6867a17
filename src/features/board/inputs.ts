import { z } from 'zod';
import { hasNoSecret } from '../../kernel/words.ts';
import { nameField } from '../../operation/identity.ts';

/** Arguments as tools and routes accept them, checked once at the edge. NUL is refused because PostgreSQL cannot store it. */
const LIMITS = {
  title: 500,
  text: 20_000,
  priority: 1_000_000,
  reference: 2_000,
  costUsd: 1_000_000_000,
} as const;

const hasNoNul = (text: string) => !text.includes('\0');
const hasNoControls = (text: string) => !/\p{Cc}/u.test(text);

function prose(min: number, max: number) {
  return z.string().min(min).max(max).refine(hasNoNul, 'must not contain NUL characters');
}

export const reference = z
  .string()
  .min(1)
  .max(LIMITS.reference)
  .refine(hasNoControls, 'must not contain control characters');

export const taskId = nameField().describe('Id of the task.');
export const agentName = nameField();
export const teamId = nameField().describe('Team the task belongs to.');
export const runtime = nameField().describe('Runtime of the agent, such as codex or claude-code.');
export const title = prose(1, LIMITS.title).refine((text) => /\S/.test(text), 'must not be blank');
export const description = prose(0, LIMITS.text);
export const commentBody = prose(1, LIMITS.text);
export const priority = z
  .int()
  .min(-LIMITS.priority)
  .max(LIMITS.priority)
  .describe('Higher is sooner; 0 unless given.');
export const limit = z.int().min(1).max(500);
export const cursor = z.string().min(1).max(1_000);
export const checkTitle = prose(1, LIMITS.title);
export const evidenceSummary = prose(1, LIMITS.text);
export const evidenceReference = prose(1, LIMITS.reference).describe(
  'Where to look: a commit, a file, a URL.',
);

/** One word, so that it can be typed. */
export const label = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,49}$/u,
    'must be up to 50 letters, digits or . _ : / - and begin with a letter or digit',
  )
  .refine(hasNoSecret, 'must not hold a secret');

export const words = prose(1, 200);
export const costUsd = z.number().min(0).max(LIMITS.costUsd);
