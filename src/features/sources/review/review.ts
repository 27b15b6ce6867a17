// What a person looks at before deciding on definitions: only what changed, what is suspicious first.
import { z } from 'zod';
import { type Leaf, leavesOf } from './leaves.ts';
import { decisionOn, digestOf, isPending } from './pins.ts';
import type { ToolRow } from '../rows.ts';
import { scanTool, type Suspicion, suspicion, type Words } from './scan.ts';
import { toFindings } from '../views.ts';

const fieldView = z.object({
  path: z.string(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.string().nullable(),
  after: z.string().nullable(),
});

export const pendingView = z.object({
  tool: z.string(),
  hash: z.string(),
  digest: z.string().describe('Of this tool alone, for deciding on it as it was shown.'),
  isNew: z.boolean(),
  isFlagged: z.boolean(),
  before: z.string().nullable(),
  after: z.string(),
  fields: z
    .array(fieldView)
    .describe('Only what changed; of a new tool all of it. Texts as they are, other values as JSON.'),
  changedAt: z.int(),
  findings: z.array(suspicion),
});

export const decidedView = z.object({
  tool: z.string(),
  hash: z.string(),
  decision: z.enum(['approved', 'rejected']),
  by: z.string(),
  at: z.int(),
  canUndo: z.literal(true),
});

const MOST_DECIDED = 200;

/** Flagged ones first, else in the order of their names. */
export function toPending(rows: readonly ToolRow[]): z.output<typeof pendingView>[] {
  const all = rows.filter(isPending).map(view);
  return all.toSorted((a, b) => Number(b.isFlagged) - Number(a.isFlagged));
}

function view(row: ToolRow): z.output<typeof pendingView> {
  const { tool, hash, changedAt } = row;
  const after = JSON.parse(row.definition) as Words;
  const before: unknown = row.approvedDefinition === null ? undefined : JSON.parse(row.approvedDefinition);
  const suspicions = scanTool(after);
  return {
    tool,
    hash,
    digest: digestOf([row]),
    isNew: before === undefined,
    isFlagged: suspicions.length > 0,
    before: before === undefined ? null : pretty(before),
    after: pretty(after),
    fields: changesOf(before === undefined ? [] : leavesOf(before), leavesOf(after), suspicions),
    changedAt,
    findings: toFindings(suspicions),
  };
}

function pretty(definition: unknown): string {
  return JSON.stringify(definition, null, 2);
}

function changesOf(
  before: readonly Leaf[],
  after: readonly Leaf[],
  suspicions: readonly Suspicion[],
): z.output<typeof fieldView>[] {
  const [old, now] = [before, after].map((leaves) => new Map(leaves.map(({ path, text }) => [path, text])));
  const flagged = new Set(suspicions.flatMap(({ marks }) => marks.map(({ path }) => path)));
  const rank = (path: string) => (flagged.has(path) ? 0 : path === 'description' ? 1 : 2);
  return [...new Set([...now!.keys(), ...old!.keys()])]
    .filter((path) => old!.get(path) !== now!.get(path))
    .map((path) => ({
      path,
      change: !old!.has(path)
        ? ('added' as const)
        : now!.has(path)
          ? ('changed' as const)
          : ('removed' as const),
      before: old!.get(path) ?? null,
      after: now!.get(path) ?? null,
    }))
    .toSorted((a, b) => rank(a.path) - rank(b.path));
}

/** What was decided on definitions as they are now, the last first. All of it can be taken back. */
export function toDecided(rows: readonly ToolRow[]): z.output<typeof decidedView>[] {
  return rows
    .flatMap((row) => {
      const { tool, hash } = row;
      const decision = decisionOn(row);
      if (decision === undefined) return [];
      const isNo = decision === 'rejected';
      const by = (isNo ? row.rejectedBy : row.approvedBy) ?? '';
      const at = (isNo ? row.rejectedAt : row.approvedAt) ?? 0;
      return [{ tool, hash, decision, by, at, canUndo: true as const }];
    })
    .toSorted((a, b) => b.at - a.at)
    .slice(0, MOST_DECIDED);
}
