import { dayOf } from '../../../kernel/day.ts';
import type { Credit, VaultMemory } from '../memory.ts';
import { MAX_CONTENT, monthOf, slugOf } from '../rules.ts';
import { freePlace, type Item, type Model, type Planned } from './model.ts';

/**
 * Episodes of one day about the same things become one. Every text stays, each under its source's name; the originals
 * go to the archive. Groups are grown until no two of them belong together, so that a second run finds nothing to do.
 */
export function planConsolidation(model: Model): Planned[] {
  const days = new Map<string, Item[]>();
  for (const item of model.sorted()) {
    if (item.memory.type !== 'episode' || item.memory.pinned || item.memory.tags.length === 0) continue;
    const day = dayOf(item.memory.createdAt);
    days.set(day, [...(days.get(day) ?? []), item]);
  }
  return [...days].flatMap(([day, items]) =>
    groupByTags(items, model.strategy.tag_overlap)
      .filter((group) => group.items.length > 1)
      .map((group) => merge(model, day, group)),
  );
}

type Group = { items: Item[]; tags: Set<string>; size: number };

function groupByTags(items: readonly Item[], least: number): Group[] {
  const groups: Group[] = items.map((item) => ({
    items: [item],
    tags: new Set(item.memory.tags),
    size: sectionOf(item).length,
  }));
  for (let isGrowing = true; isGrowing;) {
    isGrowing = false;
    for (let i = 0; i < groups.length; i++) {
      for (let j = i + 1; j < groups.length; j++) {
        if (!belongTogether(groups[i]!, groups[j]!, least)) continue;
        groups[i]!.items.push(...groups[j]!.items);
        for (const tag of groups[j]!.tags) groups[i]!.tags.add(tag);
        groups[i]!.size += groups[j]!.size;
        groups.splice(j, 1);
        j = i;
        isGrowing = true;
      }
    }
  }
  return groups;
}

/** About the same things, and together no longer than any memory may be. */
function belongTogether(a: Group, b: Group, least: number): boolean {
  const shared = [...a.tags].filter((tag) => b.tags.has(tag)).length;
  return shared > 0 && shared / Math.min(a.tags.size, b.tags.size) >= least && a.size + b.size <= MAX_CONTENT;
}

function merge(model: Model, day: string, { items, tags }: Group): Planned {
  const members = items.toSorted(
    (a, b) => a.memory.createdAt - b.memory.createdAt || (a.memory.id < b.memory.id ? -1 : 1),
  );
  const createdAt = members[0]!.memory.createdAt;
  const topic = slugOf(commonTags(members).slice(0, 3).join('-')).slice(0, 60);
  const category = monthOf(createdAt);
  const place = freePlace(model, {
    type: 'episode',
    category,
    name: topic === '' ? `merged-${day}` : `${topic}-${day}`,
  });
  const memory: VaultMemory = {
    ...place,
    type: 'episode',
    category,
    tags: [...tags].toSorted(),
    body: [`# ${topic === '' ? 'Merged' : topic.replace(/-/g, ' ')}, ${day}`, ...members.map(sectionOf)].join(
      '\n\n',
    ),
    pinned: false,
    createdAt,
    updatedAt: model.now,
  };
  const sources = members.flatMap((item) => (item.sources.length > 0 ? item.sources : [item.memory.id]));
  const added = model.add(memory, sources, creditOf(model, members));
  const archived = members.map((item) => model.archive(item));
  return {
    action: 'consolidate',
    targets: [memory.id, ...members.map((item) => item.memory.id)],
    count: members.length,
    changes: [...added.changes, ...archived.flatMap(({ changes }) => changes)],
    credits: [...added.credits, ...archived.flatMap(({ credits }) => credits)],
    details: `Merged ${members.length} episodes from ${day} into '${memory.name}'`,
  };
}

/** What was merged before brings its sections along, not the heading and the summary above them. */
function sectionOf({ memory, sources }: Item): string {
  if (sources.length > 0 && memory.body.includes('<!-- source: '))
    return memory.body.replace(/^#[ \t][^\n]*\n+(?:>[^\n]*\n+)*/, '');
  return `## ${memory.name}\n\n<!-- source: ${memory.id} -->\n\n${memory.body}`;
}

/** Being merged is no praise: the merged episode is worth what its best source was. */
function creditOf(model: Model, members: readonly Item[]): Credit {
  return {
    score: Math.max(...members.map((item) => model.scoreOf(item))),
    accessCount: members.reduce((sum, { credit }) => sum + credit.accessCount, 0),
    createdAt: Math.min(...members.map(({ credit }) => credit.createdAt)),
    lastAccessed: model.now,
  };
}

/** Most shared first. */
function commonTags(members: readonly Item[]): string[] {
  const counts = new Map<string, number>();
  for (const { memory } of members)
    for (const tag of memory.tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).map(([tag]) => tag);
}
