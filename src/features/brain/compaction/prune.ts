import type { VaultMemory } from '../memory.ts';
import type { Strategy } from '../strategy.ts';
import { detailName, type Model, type Planned } from './model.ts';

const DAY_MS = 86_400_000;

/** Little use, and long unchanged. Pinned memories and people stay, whatever the strategy says. */
export function isPrunable(
  { memory, score }: Readonly<{ memory: VaultMemory; score: number }>,
  now: number,
  policy: Pick<Strategy, 'prune_threshold' | 'prune_min_age_days'>,
): boolean {
  if (memory.pinned || memory.category === 'people') return false;
  const age = now - Math.max(memory.createdAt, memory.updatedAt);
  return score < policy.prune_threshold && age > policy.prune_min_age_days * DAY_MS;
}

export function planPruning(model: Model): Planned[] {
  const planned: Planned[] = [];
  for (const item of model.sorted()) {
    const score = model.scoreOf(item);
    if (!isPrunable({ memory: item.memory, score }, model.now, model.strategy)) continue;
    const changes = model.archive(item);
    planned.push({
      action: 'prune',
      targets: [item.memory.id],
      count: 1,
      ...changes,
      details: `Archived '${detailName(item.memory)}' (score: ${score.toFixed(2)})`,
    });
  }
  return planned;
}
