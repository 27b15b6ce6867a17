import { z } from 'zod';

/** What the brain remembers: one markdown file each. */
export const MEMORY_TYPES = ['entity', 'episode'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** Exactly the documented ones: with a free choice two different pairs of category and name could make one id. */
export const CATEGORIES = ['people', 'projects', 'preferences'] as const;

export type VaultMemory = Readonly<{
  id: string;
  /** Relative to the vault, with forward slashes. */
  path: string;
  type: MemoryType;
  /** Of an episode: its month. */
  category: string;
  name: string;
  tags: readonly string[];
  /** The text below the frontmatter. */
  body: string;
  pinned: boolean;
  createdAt: number;
  updatedAt: number;
}>;

/** How useful a memory has been. `score` is as of `lastAccessed`; what it is worth now is `effectiveScore`. */
export type Credit = Readonly<{
  score: number;
  accessCount: number;
  createdAt: number;
  lastAccessed: number;
}>;

export const retrievedSchema = z.object({
  id: z.string(),
  type: z.enum(MEMORY_TYPES),
  category: z.string(),
  name: z.string(),
  content: z.string(),
  tags: z.array(z.string()),
  credit_score: z.number(),
  access_count: z.int(),
  created_at: z.string(),
  last_accessed: z.string(),
  pinned: z.boolean(),
  path: z.string(),
  updated_at: z.string(),
});
export type Retrieved = z.output<typeof retrievedSchema>;

const hitSchema = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(MEMORY_TYPES),
  snippet: z.string(),
  credit_score: z.number(),
  relevance_score: z.number(),
  combined_score: z.number(),
  matched: z.enum(['name', 'tag', 'content', 'meaning']),
});
export type VaultHit = z.output<typeof hitSchema>;

export const foundSchema = z.object({ results: z.array(hitSchema), total_matches: z.int() });
export type Found = z.output<typeof foundSchema>;

const contradictionSchema = z.object({
  with: z.string(),
  mine: z.string(),
  theirs: z.string(),
  why: z.string(),
});
export type Contradiction = z.output<typeof contradictionSchema>;

export const storedSchema = z.object({ id: z.string(), path: z.string(), created: z.literal(true) });
export const updatedSchema = z.object({
  id: z.string(),
  updated: z.literal(true),
  previous_updated_at: z.string(),
  contradictions: z.array(contradictionSchema).optional(),
});
export const archivedSchema = z.object({
  id: z.string(),
  archived: z.literal(true),
  archive_path: z.string(),
});
export const restoredSchema = z.object({ id: z.string(), restored: z.literal(true), path: z.string() });

const rankedSchema = z.object({ id: z.string(), name: z.string(), score: z.number(), access_count: z.int() });
export const reportSchema = z.object({
  total_memories: z.int(),
  avg_score: z.number(),
  top: z.array(rankedSchema),
  bottom: z.array(rankedSchema),
  prune_candidates: z.int(),
  last_consolidation: z.string().nullable(),
  last_pruning: z.string().nullable(),
  /** Memories per tenth of the score, from 0.0–0.1 to 0.9–1.0. */
  distribution: z.array(z.int()),
  problems: z.array(z.object({ path: z.string(), reason: z.string() })),
});
export type Report = z.output<typeof reportSchema>;

export const compactedSchema = z.object({
  consolidated: z.int(),
  promoted: z.int(),
  pruned: z.int(),
  details: z.array(z.string()),
  dry_run: z.boolean().optional(),
});
export type Compacted = z.output<typeof compactedSchema>;

export const feedbackSchema = z.object({
  signal: z.string(),
  /** False when this very signal had been given before: nothing moved. */
  applied: z.boolean(),
  moved: z.array(z.object({ id: z.string(), before: z.number(), after: z.number() })),
});
export type Feedback = z.output<typeof feedbackSchema>;

/** The documented form, without milliseconds. */
export function toIso(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

export function round4(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
