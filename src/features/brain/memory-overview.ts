import type { VaultMemory } from './memory.ts';
import { snippetOf } from './tiers.ts';

/** MEMORY.md: what is most useful to know, within a budget of tokens. Made from the vault, never read back. */
export type Scored = Readonly<{ memory: VaultMemory; score: number }>;

const SECTIONS: readonly Readonly<{ title: string; holds(memory: VaultMemory): boolean }>[] = [
  { title: 'People', holds: (memory) => memory.category === 'people' },
  { title: 'Projects', holds: (memory) => memory.category === 'projects' },
  { title: 'Preferences', holds: (memory) => memory.category === 'preferences' },
  { title: 'Recent Episodes', holds: (memory) => memory.type === 'episode' },
];
/** Entities last, episodes pass: this part of the budget is for entities, the rest and what they leave for episodes. */
const ENTITY_SHARE = 0.7;
const HEAD = '# Memory\n\nMade by Holdfast from the files beside it; edit those, not this one.\n';
const EMPTY = '\nNothing is remembered yet.\n';

export function composeOverview(memories: readonly Scored[], budget: number): string {
  if (memories.length === 0) return HEAD + EMPTY;
  const room = Math.max(0, budget - tokensOf(HEAD) - 8 * SECTIONS.length);
  const best = memories.toSorted(
    (a, b) =>
      Number(b.memory.pinned) - Number(a.memory.pinned) ||
      b.score - a.score ||
      (a.memory.id < b.memory.id ? -1 : 1),
  );
  const entities = fill(
    best.filter(({ memory }) => memory.type === 'entity'),
    Math.floor(room * ENTITY_SHARE),
  );
  const episodes = fill(
    best.filter(({ memory }) => memory.type === 'episode'),
    room - entities.used,
  );
  const chosen = [...entities.chosen, ...episodes.chosen];
  const sections = SECTIONS.map(({ title, holds }) => ({
    title,
    lines: chosen.filter(({ memory }) => holds(memory)).map(({ memory }) => lineOf(memory)),
  }));
  const written = sections
    .filter(({ lines }) => lines.length > 0)
    .map(({ title, lines }) => `\n## ${title}\n\n${lines.join('\n')}\n`);
  return HEAD + written.join('');
}

/** Best first; one that does not fit makes room for a smaller one. */
function fill(items: readonly Scored[], budget: number): Readonly<{ chosen: Scored[]; used: number }> {
  const chosen: Scored[] = [];
  let used = 0;
  for (const item of items) {
    const cost = tokensOf(lineOf(item.memory)) + 1;
    if (used + cost > budget) continue;
    chosen.push(item);
    used += cost;
  }
  return { chosen, used };
}

function lineOf(memory: VaultMemory): string {
  return `- **${memory.name}** (${memory.id}): ${snippetOf(memory.body.slice(0, LOOKED_AT), '')}`;
}

/** The beginning of a text says what a line has room for. */
const LOOKED_AT = 1_000;

export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
