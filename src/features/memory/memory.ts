import type { Call } from '../../store/calls.ts';
import { createGround, type DeskParts } from './desk/ground.ts';
import { readsOf } from './desk/reads.ts';
import { savesOf } from './desk/saves.ts';
import { verdictsOf } from './desk/verdicts.ts';

/** What one can ask of memory, by tools and routes alike. */
export type MemoryDesk = ReturnType<typeof createMemoryDesk>;

/** The service of the room: what a caller can ask depends on the way it came. */
export type Memory = Readonly<{ via(way: Call['via']): MemoryDesk }>;

export function createMemory(parts: Omit<DeskParts, 'via'>): Memory {
  const desks = {
    tool: createMemoryDesk({ ...parts, via: 'tool' }),
    route: createMemoryDesk({ ...parts, via: 'route' }),
  };
  return { via: (way) => desks[way] };
}

export function createMemoryDesk(parts: DeskParts) {
  const ground = createGround(parts);
  return {
    ...savesOf(ground, parts),
    ...readsOf(ground, parts),
    ...verdictsOf(ground, parts),
    settled: ground.settled,
  };
}
