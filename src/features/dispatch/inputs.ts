import { z } from 'zod';
import { hasNoSecret } from '../../kernel/words.ts';
import { STATES } from './run.ts';

/** What callers may say. Names that become arguments of programs are narrow: none can be read as a flag. */
const word = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[A-Za-z0-9][\w./:@+-]*$/, 'must begin with a letter or digit');

/** Kept as it was said, and shown to everybody who asks why a run waits. */
const label = (max: number) => word(max).refine(hasNoSecret, 'must not hold a secret');

export const taskId = z.string().min(1).max(64);
/** Longer ones are refused by the service, which says what to do instead. */
export const prompt = z.string();

export const options = z
  .looseObject({
    cwd: z.string().max(4096).optional().describe('A folder inside a known project.'),
    project: z
      .string()
      .max(4096)
      .optional()
      .describe('Where the caller works: taken when the agent has no folder of its own.'),
    model: word(128).optional(),
    session_id: word(128).optional().describe("The agent's own session to go on with."),
    tag: z.string().max(64).optional(),
    on: label(64).optional().describe('The one runner that is to have it.'),
    needs: z.array(label(32)).max(20).optional().describe('Labels that its runner has.'),
  })
  .describe('extra_args, unattended and mode are refused: the operator sets them in config.yaml.');

export const states = z.enum(STATES);
export const reply = {
  body: z
    .string()
    .min(1)
    .max(64 * 1024),
  kind: z
    .enum(['progress', 'result', 'clarification', 'error'])
    .optional()
    .describe('progress unless given.'),
};
export const timeout = z.number().min(0).max(3600);
