import { findContradictions as findClaims } from '../../recall/recall.ts';
import type { Contradiction, VaultMemory } from './memory.ts';

/** Claims of two memories that cannot both hold, as far as words alone tell. Reported, never decided. */
export function findContradictions(
  memory: VaultMemory,
  others: readonly VaultMemory[],
): Promise<Contradiction[]> {
  return findClaims(claimed(memory), others.map(claimed));
}

/** What a memory is about is part of each of its claims, unless it says so itself. */
function claimed({ id, name, body }: VaultMemory) {
  return { id, title: name.replace(/-/g, ' '), text: body };
}
