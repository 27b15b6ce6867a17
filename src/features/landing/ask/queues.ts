// The targets that something has landed on or waits for, with how that is done there.
import { z } from 'zod';
import type { Config } from '../../../kernel/config.ts';
import { landSettingsOf } from '../../../kernel/land-settings.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import { allQueues } from '../rows.ts';

export const queueSchema = z.object({
  project: z.string(),
  target: z.string(),
  paused: z.boolean(),
  approve: z.enum(['person', 'checks']).describe('Who lets something land that an agent asks for.'),
  how: z.enum(['merge', 'rebase', 'squash']),
  batch: z.int(),
});
type QueueView = z.infer<typeof queueSchema>;

export function createQueueList(acting: Acting, config: Config) {
  return (call: Call, wanted: string | undefined): Promise<QueueView[]> =>
    acting.look(call, async (q, { who }) => {
      const team = who.bound.team ?? wanted;
      const all = (await allQueues(q)).filter(({ project }) => team === undefined || project === team);
      return all.map(({ project, target, paused }) => {
        const { approve, how, batch } = landSettingsOf(config.land, project);
        return { project, target, paused, approve, how, batch };
      });
    });
}
