import { z } from 'zod';
import { nameField } from '../../operation/identity.ts';
import { MISSED } from './rules.ts';

const folder = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters');

/** What is said of a new schedule. */
export const adding = {
  when: z
    .string()
    .min(1)
    .max(200)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
    .describe('Five fields of cron, "every weekday 7:00", "label:triage", "status:in_review" or "webhook".'),
  agent: nameField().describe('Which agent is started; AgentList shows them.'),
  prompt: z
    .string()
    .min(1)
    .max(8_000)
    .refine((text) => /\S/.test(text), 'must not be blank')
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters')
    .describe('What it is to do.'),
  tz: nameField().optional().describe("Europe/Oslo; unless given, the hub's own."),
  missed: z
    .enum(MISSED)
    .optional()
    .describe('Times when no hub ran: none, one for all of them, or each. once unless given.'),
  folder: folder.optional().describe('A folder of the repository it is done in.'),
};

/** What is to be otherwise; what is not said stays. */
export const changing = {
  when: adding.when.optional(),
  agent: adding.agent.optional(),
  prompt: adding.prompt.optional(),
  tz: adding.tz,
  missed: adding.missed,
  folder: folder
    .nullable()
    .optional()
    .describe('A folder of the repository it is done in, which decides its project; null: of none.'),
};

export const scheduleId = nameField();
