// What is offered for memory, and what a person says to it.
import { z } from 'zod';
import { requirePerson } from '../../../kernel/principal.ts';
import { work } from '../../../operation/operation.ts';
import { proposalSchema } from './proposal.ts';
import type { Proposals } from './proposals.ts';

const id = z.string().min(4).max(100).describe('The id of a proposal, or its end.');

const list = work({
  name: 'list_proposals',
  scope: 'sessions:read',
  effect: 'read',
  summary: 'Moments of sessions that look like lessons, offered for memory; nothing is saved unasked',
  input: {
    project: z.string().min(1).max(200).optional().describe('Of this project.'),
    folder: z
      .string()
      .min(1)
      .max(4096)
      .optional()
      .describe('Of the repository of this folder. Persons only.'),
    limit: z.int().min(1).max(200).default(50),
  },
  output: z.object({ proposals: z.array(proposalSchema) }),
  refusals: ['forbidden', 'invalid', 'unavailable'],
  route: 'GET /api/memory/proposals',
  run: async (proposals: Proposals, args, context) => ({ proposals: await proposals.list(context, args) }),
});

const accept = work({
  name: 'accept_proposal',
  scope: 'sessions:write',
  effect: 'state',
  summary: 'Save what is offered as a fact of its project, as it is or in other words',
  input: {
    id,
    title: z.string().min(1).max(500).optional(),
    text: z.string().min(1).max(20_000).optional(),
  },
  output: z.object({ id: z.string(), factId: z.string() }),
  refusals: ['not_found', 'forbidden', 'invalid', 'unavailable'],
  route: 'POST /api/memory/proposals/:id/accept',
  async run(proposals: Proposals, args, context) {
    requirePerson(context.who, 'Accepting what is to be remembered');
    return proposals.accept(context, args);
  },
});

const reject = work({
  name: 'reject_proposal',
  scope: 'sessions:write',
  effect: 'state',
  summary: 'Do not remember it, and do not offer it again',
  input: { id },
  output: z.object({ rejected: z.string() }),
  refusals: ['not_found', 'forbidden', 'unavailable'],
  route: 'POST /api/memory/proposals/:id/reject',
  async run(proposals: Proposals, args, context) {
    requirePerson(context.who, 'Rejecting what is offered for memory');
    return { rejected: await proposals.reject(context, args.id) };
  },
});

export const proposalOperations = [list, accept, reject] as const;
