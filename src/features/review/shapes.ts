// What is shown of a review.
import { z } from 'zod';
import { evidenceSchema, landingSchema } from '../landing/landing.ts';

export const SIDES = ['before', 'after'] as const;
export type Side = (typeof SIDES)[number];

const FILE_KINDS = ['added', 'removed', 'renamed', 'changed'] as const;

const MODES = ['file', 'program', 'link', 'submodule'] as const;

const fileSchema = z.object({
  path: z.string(),
  from: z.string().nullable().describe('What it was called before.'),
  kind: z.enum(FILE_KINDS),
  mode: z.enum(MODES).describe('A program may be run; the text of a link is where it leads.'),
  modeBefore: z.enum(MODES).nullable().describe('What it was, where that is something else.'),
  binary: z.boolean(),
  come: z.int().describe('Lines that are new.'),
  gone: z.int().describe('Lines that are not there any more.'),
  mark: z.string().describe('Another one with every other content.'),
  patch: z.string().nullable().describe('As git writes it; null where it is too long to come along.'),
});
export type ReviewFile = z.infer<typeof fileSchema>;

const commitSchema = z.object({ id: z.string(), author: z.string(), at: z.int(), subject: z.string() });
export type ReviewCommit = z.infer<typeof commitSchema>;

const commentSchema = z.object({
  id: z.string(),
  author: z.string(),
  byPerson: z.boolean(),
  body: z.string(),
  suggestion: z.string().nullable().describe('What the lines are to be instead.'),
  createdAt: z.int(),
});

export const threadSchema = z.object({
  id: z.string(),
  path: z.string(),
  side: z.enum(SIDES),
  fromLine: z.int(),
  toLine: z.int(),
  quoted: z.string().describe('The lines as they were.'),
  resolvedBy: z.string().nullable(),
  resolvedAt: z.int().nullable(),
  createdAt: z.int(),
  comments: z.array(commentSchema),
});
export type Thread = z.infer<typeof threadSchema>;

export const verdictSchema = z.object({
  id: z.string(),
  verdict: z.enum(['approved', 'changes']),
  author: z.string(),
  body: z.string(),
  became: z.string().describe('What came of it, as a sentence.'),
  createdAt: z.int(),
});
export type ReviewVerdict = z.infer<typeof verdictSchema>;

const planSchema = z.object({
  does: z.enum(['land', 'approve_landing', 'under_way', 'done', 'nothing']).describe('What approving does.'),
  target: z.string().nullable(),
  merges: z.string().nullable().describe('What the branch of a run can be merged into, where nothing lands.'),
  checks: z.array(z.object({ name: z.string(), passed: z.boolean().nullable() })),
  conflicts: z.array(z.string()),
});
export type ReviewPlan = z.infer<typeof planSchema>;

export const reviewSchema = z.object({
  id: z.string().describe('Of the task, else of the run.'),
  title: z.string(),
  task: z.string().nullable(),
  status: z.string().nullable().describe('Of the task.'),
  run: z.string().nullable(),
  agent: z.string().nullable(),
  project: z.string().nullable(),
  branch: z.string(),
  base: z.string(),
  head: z.string().describe('What is looked at; another one with every change.'),
  folder: z.string().nullable().describe('Where its files lie, for an editor.'),
  uncommitted: z.boolean(),
  commits: z.array(commitSchema),
  files: z.array(fileSchema),
  threads: z.array(threadSchema),
  verdicts: z.array(verdictSchema),
  evidence: z.array(evidenceSchema),
  landing: landingSchema.nullable(),
  plan: planSchema,
});
export type ReviewView = z.infer<typeof reviewSchema>;

export const conflictSchema = z.object({
  path: z.string(),
  base: z.string().nullable(),
  ours: z.string().nullable().describe('On the target; null where it is not there, or no text.'),
  theirs: z.string().nullable().describe('On the branch.'),
});
export type ConflictSides = z.infer<typeof conflictSchema>;
