import { z } from 'zod';
import { hasNoSecret } from '../../kernel/words.ts';
import { KINDS, MODES } from './fact.ts';

/** Arguments as tools and routes accept them, checked once at the edge. A pasted log is a question too. */
const LIMITS = { title: 500, content: 100_000, tags: 50, tag: 200, name: 200, query: 100_000 } as const;

const hasNoNul = (text: string): boolean => !text.includes('\0');
const prose = (max: number) => z.string().max(max).refine(hasNoNul, 'must not contain NUL characters');

export const content = prose(LIMITS.content).describe('What to remember, in plain words.');
export const title = prose(LIMITS.title).describe(
  'Required for a fact: what it is about, or who said it and when.',
);
export const tags = z
  .array(prose(LIMITS.tag))
  .max(LIMITS.tags)
  .describe('Topics; a tag like session-12 also groups facts of one occasion.');
const isSaid = (text: string): boolean => text.trim() !== '';

export const procedureName = prose(LIMITS.name)
  .refine(isSaid, 'must not be blank')
  .describe('Set to save a procedure instead of a fact; each save is a new version.');
export const id = prose(LIMITS.name).min(1);
const query = prose(LIMITS.query).describe('A question or keywords, in any language.');
const mode = z
  .enum(MODES)
  .describe('fts unless given; vector and hybrid need an embedding provider and fall back to fts.');
const kind = z.enum(KINDS).describe('Only facts, or only procedures; both unless given.');
const searchLimit = z.int().min(1).max(100);
export const browseLimit = z.int().min(1).max(200);
export const instant = z.int().min(0).max(8_640_000_000_000_000);
export const source = prose(500).describe('Where it comes from: a file, a URL, a person.');
export const episode = prose(LIMITS.name).describe('Facts of one episode are read as context of each other.');
const idempotencyKey = prose(LIMITS.name).min(1).describe('The same key twice takes effect once.');

const cites = z
  .array(prose(500).min(1))
  .max(12)
  .describe(
    'Code that it is about: "src/app.ts:40-52" or "src/app.ts". Recall says whether it still stands.',
  );
/** Of a person alone: where citations are looked up. */
export const folder = prose(4_096)
  .min(1)
  .describe('The folder in which citations are looked up; persons only.');
export const reason = prose(2_000)
  .refine(isSaid, 'must not be blank')
  .describe('Why it is wrong, for those who were given it.');

export const scope = {
  scopeTeamId: prose(LIMITS.name)
    .refine(hasNoSecret, 'must not hold a secret')
    .optional()
    .describe('Team; ignored when the connection is bound. Empty: global only.'),
  scopeAgentId: prose(LIMITS.name)
    .refine(hasNoSecret, 'must not hold a secret')
    .optional()
    .describe('Agent; ignored when the connection is bound.'),
};

export const saveShape = {
  content,
  title: title.optional(),
  tags: tags.optional(),
  procedureName: procedureName.optional(),
  ...scope,
  episode: episode.optional(),
  source: source.optional(),
  validFrom: instant.optional().describe('Since when it holds, in epoch milliseconds; now unless given.'),
  cites: cites.optional(),
  idempotencyKey: idempotencyKey.optional(),
  folder: folder.optional(),
};

export const searchShape = {
  query,
  mode: mode.optional(),
  limit: searchLimit.optional().describe('10 unless given.'),
  ...scope,
  asOf: instant.optional().describe('Search what held at that moment, in epoch milliseconds.'),
  kind: kind.optional(),
  explain: z.boolean().optional().describe('Add what each signal contributed to a score.'),
  brief: z.boolean().optional().describe('Only a short passage of each hit.'),
  quiet: z
    .boolean()
    .optional()
    .describe('Nothing of what was refuted meanwhile: whoever asks shows it elsewhere.'),
  folder: folder.optional(),
};

export const supersedeShape = {
  id: id.describe('Fact that no longer holds.'),
  content,
  title: title
    .refine(isSaid, 'must not be blank')
    .optional()
    .describe('Title of the new fact; the old one unless given.'),
  tags: tags.optional(),
  source: source.optional(),
  validFrom: instant.optional().describe('Since when the new fact holds; now unless given.'),
  cites: cites.optional(),
  idempotencyKey: idempotencyKey.optional(),
  folder: folder.optional(),
};
