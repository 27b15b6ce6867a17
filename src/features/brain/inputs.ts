import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';
import { CATEGORIES, MEMORY_TYPES } from './memory.ts';
import type { NewVaultMemory } from './write-memories.ts';
import { isTag, MAX_CONTENT, nameProblem } from './rules.ts';

/** Arguments as tools and routes accept them, checked once at the edge. */
export const id = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => !/[\p{Cc}\s]/u.test(text), 'must be one word')
  .describe('Id of the memory, such as entity-people-alice-chen.');

export const content = z
  .string()
  .min(1)
  .max(MAX_CONTENT)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters')
  .refine((text) => /\S/.test(text), 'must not be blank')
  .describe('Markdown without frontmatter; the server adds that.');

const name = z
  .string()
  .superRefine((text, context) => {
    const problem = nameProblem(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  })
  .describe('Kebab-case identifier, such as alice-chen.');

const tags = z
  .array(
    z.string().refine(isTag, 'must be lower-case and hyphenated, at most 60 characters, such as ml-team'),
  )
  .max(50)
  .describe('Lower-case, hyphenated. Used to find memories and to group episodes.');

export const newMemory = {
  type: z.enum(MEMORY_TYPES).describe('entity for durable facts, episode for summaries of what happened.'),
  category: z
    .string()
    .optional()
    .describe(`For entities: ${CATEGORIES.join(', ')}. Ignored for episodes, which are filed by date.`),
  name,
  content,
  tags: tags.default([]),
  pinned: z.boolean().default(false).describe('true keeps it from ever being pruned or archived.'),
};

export const query = z
  .string()
  .min(1)
  .max(2_000)
  .refine((text) => !text.includes('\0'), 'must not contain NUL characters')
  .describe('A name, a tag, words of the text, or a question.');

export const type = z
  .enum(MEMORY_TYPES)
  .nullable()
  .default(null)
  .describe('Only this type; null searches all.');
export const limit = z.int().min(1).max(20).default(5).describe('Most results to answer.');
export const topN = z.int().min(1).max(100).default(10).describe('How many at either end.');
export const verdict = z.enum(['good', 'bad']);
export const ids = z.array(id).min(1).max(100);

const newMemorySchema = z.object(newMemory);

/** The category only matters, and is only checked, for entities. */
export function toNewMemory(given: z.output<typeof newMemorySchema>): NewVaultMemory {
  const { category = '', ...rest } = given;
  if (rest.type === 'entity' && !(CATEGORIES as readonly string[]).includes(category)) {
    throw new HubError(
      'invalid',
      `category must be one of ${CATEGORIES.join(', ')} for an entity, got ${JSON.stringify(excerpt(category, 100))}`,
      { known: CATEGORIES },
    );
  }
  return { ...rest, category };
}
