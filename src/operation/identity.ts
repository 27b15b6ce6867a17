// How a call tells who makes it and that it is one call: said once, for every operation that takes it.
import { z } from 'zod';
import { hasNoSecret } from '../kernel/words.ts';

const LONGEST_NAME = 200;
const hasNoControls = (text: string) => !/\p{Cc}/u.test(text);

/** An id or a name, on one line. */
export function nameField() {
  return z
    .string()
    .min(1)
    .max(LONGEST_NAME)
    .refine(hasNoControls, 'must not contain control characters')
    .refine(hasNoSecret, 'must not hold a secret');
}

/** A bound connection needs none of these. */
export const identity = {
  agentId: nameField().optional().describe('You, when your connection does not say.'),
  fence: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('Of your claim, as claim_task answered it.'),
};

export const once = {
  idempotencyKey: nameField().describe('The same key twice takes effect once.').optional(),
};
