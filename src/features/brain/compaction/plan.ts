import { planConsolidation } from './consolidate.ts';
import type { Model, Planned } from './model.ts';
import { planPromotion } from './promote.ts';
import { planPruning } from './prune.ts';

/** In the documented order; each stage works on what the one before left. */
export function planCompaction(model: Model): Planned[] {
  return [...planConsolidation(model), ...planPromotion(model), ...planPruning(model)];
}
