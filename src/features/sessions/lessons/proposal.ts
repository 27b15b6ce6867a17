import { z } from 'zod';
import { LESSON_KINDS } from './lesson.ts';

export const proposalSchema = z.object({
  id: z.string(),
  kind: z
    .enum(LESSON_KINDS)
    .describe('told: to be remembered; corrected: an agent was; solved, worked: commands.'),
  title: z.string(),
  text: z.string(),
  isWorded: z.boolean().describe('By a model; else a plain extract.'),
  at: z.int().describe('When it was found.'),
  sessionId: z.string(),
  turn: z.int(),
  client: z.string(),
  project: z.string().nullable(),
  folder: z.string().nullable(),
  resume: z.string().nullable(),
});
export type Proposal = z.infer<typeof proposalSchema>;
