import type { BeingRecord } from '../src/features/being/record.ts';
import { newId } from '../src/kernel/ids.ts';

/** A memory of a Being, as an import brings it. */
export function memoryRecord(action: string, clusterId: string): BeingRecord {
  const now = Date.now();
  return {
    kind: 'node',
    id: newId(),
    clusterId,
    action,
    scene: { actors: ['Mika'], when: ['2026-04-14'] },
    feeling: null,
    themes: [],
    importance: 0.5,
    status: 'active',
    reason: null,
    replacedBy: null,
    isFresh: false,
    isPinned: false,
    cycles: 0,
    reactivations: 0,
    dyingCycles: 0,
    lastActivated: now,
    createdAt: now,
    updatedAt: now,
  };
}
