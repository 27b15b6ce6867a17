// `/api/hooks/event`: what the hooks of a client call, once for each moment of a session.
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isName, MAX_NAME, NAME_RULE } from '../../../kernel/words.ts';
import { work } from '../../../operation/operation.ts';
import type { SessionHooks } from './hear.ts';
import { HOOK_CLIENTS } from './moments.ts';

const name = z.string().refine(isName, NAME_RULE);
const kin = z.object({ pid: z.int().min(1), name: z.string().max(256) });

const hearHook = work({
  name: 'hear_hook',
  summary:
    'A hook of a client tells of its session: it is registered, gives a sign of life or leaves, and its mail is handed over.',
  scope: 'peers:write',
  effect: 'state',
  input: {
    client: z.enum(HOOK_CLIENTS),
    event: z.string().min(1).max(100).describe('As the client calls it: SessionStart.'),
    session: z.string().min(1).max(MAX_NAME),
    cwd: z.string().max(4096).refine(isAbsolute, 'must be an absolute path'),
    line: z.array(kin).max(64).default([]).describe('The ancestors of the hook, its parent first.'),
    agent: name.optional(),
    circle: name.optional(),
    team: name.optional(),
    new: z.boolean().optional().describe('With team: make it when nothing is of it yet.'),
  },
  output: z.object({
    say: z.string().nullable().describe('What the hook prints for its client.'),
    arrived: z
      .array(z.object({ peerId: z.string(), team: z.string().optional(), ids: z.array(z.string()) }))
      .describe('What to ack once it is printed.'),
  }),
  refusals: ['not_found', 'conflict', 'limited', 'unavailable'],
  route: 'POST /api/hooks/event',
  async run(hooks: SessionHooks, event, { who }) {
    const { say, arrived } = await hooks.hear(who, event);
    return { say, arrived: [...arrived] };
  },
});

export const sessionHookOperations = [hearHook] as const;
