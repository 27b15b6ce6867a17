import { z } from 'zod';

/** A note on the door: these files are being worked on under that claim. It advises, it does not lock. */
export const reservationSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  agentId: z.string(),
  teamId: z.string().nullable(),
  root: z.string().describe('The working copy the pattern is relative to; empty: the one everybody shares.'),
  pattern: z.string(),
  exclusive: z
    .boolean()
    .describe('False: others may work there, too, as long as they do not reserve it for themselves.'),
  reason: z.string().nullable(),
  createdAt: z.int(),
  leaseUntil: z.int().nullable().describe("The end of the claim's lease; null: no end."),
});
export type Reservation = z.infer<typeof reservationSchema>;

const conflictSchema = z.object({ pattern: z.string(), with: reservationSchema });
export type Conflict = z.infer<typeof conflictSchema>;

const changedSchema = z.object({
  pattern: z.string(),
  path: z.string(),
  branch: z.string(),
  taskId: z.string().nullable(),
  agentId: z.string().nullable(),
});
/** A file that a pattern means and a branch of somebody else changes already. */
export type ChangedOnBranch = z.infer<typeof changedSchema>;

export const reservedSchema = z.object({
  reserved: z.array(reservationSchema),
  conflicts: z.array(conflictSchema),
  changed: z
    .array(changedSchema)
    .optional()
    .describe('Branches of others that changed such files already: merge with them early.'),
});
