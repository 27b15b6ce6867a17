import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineTool, type Tool } from '../../mcp/define.ts';
import type { Brain } from './brain.ts';
import * as input from './inputs.ts';
import { feedbackSchema, restoredSchema } from './memory.ts';

/** What an agent says afterwards: it helped or misled, or it should not have gone. Shown in the extended profile only. */
const afterwards = {
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'brain:write',
  effect: 'state',
  profile: 'extended',
} as const;

export function feedbackTools(brain: Brain): Tool[] {
  return [
    defineTool({
      ...afterwards,
      name: 'memory_feedback',
      title: 'Say whether memories helped',
      description:
        'good raises and bad lowers the score of the memories you used: those named, or what your last turns retrieved. Repeating a signal changes nothing.',
      input: z.object({
        outcome: input.verdict,
        ids: input.ids.optional().describe('Only these memories.'),
        signal: z
          .string()
          .min(1)
          .max(200)
          .optional()
          .describe('A name for this signal; given twice, it counts once.'),
      }),
      output: feedbackSchema,
      handler: async ({ outcome, ids, signal }, { who }) => ({
        ok: true,
        value: await brain.feedback(who, {
          signal: signalOf(outcome),
          ids,
          key: signal === undefined ? undefined : `given:${who.id}:${signal}`,
        }),
      }),
    }),
    defineTool({
      ...afterwards,
      name: 'memory_restore',
      title: 'Restore a memory',
      description:
        'Brings an archived memory back, with the score it had. Name its id, or the archive_path memory_delete answered.',
      input: z.object({
        id: input.id.optional(),
        archive_path: z.string().min(1).max(400).optional(),
      }),
      output: restoredSchema,
      async handler({ id, archive_path }, { who }) {
        const restored = await brain.restore(who, wantedOf(id, archive_path));
        return { ok: true, value: { ...restored, restored: true as const } };
      },
    }),
  ];
}

export function signalOf(outcome: 'good' | 'bad'): 'positive_feedback' | 'user_correction' {
  return outcome === 'good' ? 'positive_feedback' : 'user_correction';
}

function wantedOf(
  id: string | undefined,
  archivePath: string | undefined,
): { id: string } | { archivePath: string } {
  if (archivePath !== undefined) {
    if (/^archive\/(?:entities|episodes)\/[^/]+\/[^/]+\.md$/.test(archivePath)) return { archivePath };
    throw new HubError('invalid', 'archive_path must look like archive/entities/<category>/<name>.md.');
  }
  if (id !== undefined) return { id };
  throw new HubError('invalid', 'Name the id or the archive_path of what to restore.');
}
