// Apart from what reads frames: a runner that waits for work loads no schemas.
import { z } from 'zod';

/** Tokens of this run alone. `lower_bound`: a turn that was broken off reported nothing. */
export const usageSchema = z.object({
  inputUncached: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
  reasoning: z.number(),
  costUsd: z.number().nullable(),
  turns: z.number(),
  basis: z.enum(['reported', 'lower_bound']),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;
