import { isPrunable } from './compaction/prune.ts';
import { effectiveScore } from './credit.ts';
import { type Report, round4, toIso } from './memory.ts';
import type { BrainParts } from './parts.ts';
import { listProblems } from './rows/memories.ts';

/** How the memories stand, by what they are worth now. */
export async function report({ db, vault, catalogue }: BrainParts, topN: number): Promise<Report> {
  const policy = await vault.policy();
  const { items, credits, lastConsolidation, lastPruning } = await catalogue.fresh();
  const problems = await db.read((q) => listProblems(q, vault.id));
  const now = db.now();
  const scored = [...items.values()].flatMap(({ memory }) => {
    const credit = credits.get(memory.id);
    return credit ? [{ memory, credit, score: round4(effectiveScore(credit, now, policy)) }] : [];
  });
  scored.sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1));
  const rows = scored.map(({ memory, credit, score }) => ({
    id: memory.id,
    name: memory.name,
    score,
    access_count: credit.accessCount,
  }));
  const distribution = Array.from({ length: 10 }, () => 0);
  for (const { score } of scored) distribution[Math.min(9, Math.floor(score * 10))]! += 1;
  return {
    total_memories: scored.length,
    avg_score: round4(scored.reduce((sum, { score }) => sum + score, 0) / Math.max(1, scored.length)),
    top: rows.slice(0, topN),
    bottom: rows.toReversed().slice(0, topN),
    prune_candidates: scored.filter((one) => isPrunable(one, now, policy)).length,
    last_consolidation: lastConsolidation === null ? null : toIso(lastConsolidation),
    last_pruning: lastPruning === null ? null : toIso(lastPruning),
    distribution,
    problems: problems.map(({ path, reason }) => ({ path, reason })),
  };
}
