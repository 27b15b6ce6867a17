import { z } from 'zod';
import { defineTool } from '../../mcp/define.ts';
import type { Tool } from '../../mcp/define.ts';
import type { Requests } from './requests.ts';
import { factDetailSchema } from './fact.ts';
import * as input from './inputs.ts';
import { writing } from './annotations.ts';

export const supersededSchema = z.object({ fact: factDetailSchema, superseded: factDetailSchema });
const forgottenSchema = z.object({ forgotten: z.array(z.string()) });
/** A person's, over REST. */
export const withheldSchema = forgottenSchema.extend({
  until: z.int().optional().describe('Until then a person can take it back; absent when it is final.'),
});

/** Beyond the documented three: what no longer holds is replaced, what should not be there is forgotten. */
export function correctionTools(requests: Requests): Tool[] {
  return [
    defineTool({
      ...writing,
      profile: 'extended',
      name: 'memory_supersede',
      title: 'Supersede a fact',
      description:
        'Replaces a fact that no longer holds. Searches answer the new one; the old one stays for questions about the past.',
      input: z.object(input.supersedeShape),
      output: supersededSchema,
      handler: async (args, { who }) => ({ ok: true, value: await requests.supersede(who, args) }),
    }),
    defineTool({
      ...writing,
      annotations: { ...writing.annotations, destructiveHint: true },
      profile: 'extended',
      name: 'memory_forget',
      title: 'Forget a fact',
      description:
        'Removes a fact and its earlier versions, or one version of a procedure, for good: text, index and vectors.',
      input: z.object({ id: input.id.describe('Id of the fact or of the procedure version.') }),
      output: forgottenSchema,
      handler: async ({ id }, { who }) => ({ ok: true, value: await requests.forget(who, id) }),
    }),
  ];
}
