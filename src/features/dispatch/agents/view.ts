import { z } from 'zod';
import type { Agent } from './agents.ts';

/** An agent on the wire. */
export const agentSchema = z.object({
  instance: z.string(),
  family: z.string(),
  lane: z.enum(['acp', 'exec']),
  status: z.enum(['callable', 'binary-missing', 'disabled']),
  callable: z.boolean(),
  reason: z.string().optional(),
  mode: z.enum(['safe', 'edit', 'full']),
  tags: z.array(z.string()),
  failover_to: z.array(z.string()),
  configured: z.boolean(),
});

export type ShownAgent = z.output<typeof agentSchema>;

export function presentAgent({
  instance,
  family,
  lane,
  status,
  callable,
  reason,
  configured,
  settings,
}: Agent) {
  const { mode, tags, failover } = settings;
  const why = reason === undefined ? {} : { reason };
  return {
    instance,
    family,
    lane,
    status,
    callable,
    ...why,
    mode,
    tags: [...tags],
    failover_to: [...failover],
    configured,
  };
}
