import { newId } from '../../../kernel/ids.ts';
import { cosine } from '../centres.ts';
import { clustersOf, insertCluster } from '../rows/clusters.ts';
import { type Node, nodesOfCluster, setCluster } from '../rows/nodes.ts';
import { THRESHOLDS } from '../rules.ts';
import { createWordSpace, wordCosine } from './words.ts';
import { type PatrolWork, vectorsOf } from './work.ts';

/** Memories in a root that are looked at; the most important ones come first. */
const MOST = 1_500;

/** What lies loose in a root and is alike becomes a cluster below it. Answers the clusters that changed. */
export async function groupRoots(work: PatrolWork): Promise<readonly string[]> {
  const clusters = await work.read(clustersOf);
  const changed: string[] = [];
  for (const root of clusters.filter(({ parentId }) => parentId === null)) {
    const loose = await work.read((self) => nodesOfCluster(self, root.id, { limit: MOST }));
    const active = loose.filter(({ status }) => status === 'active').sort(byAge);
    const groups = await groupsOf(work, active);
    for (const group of groups) {
      const made = await work.write(async (self) => {
        const id = newId();
        await insertCluster(self, { id, name: nameFor(group), parentId: root.id });
        await setCluster(
          self,
          group.map((node) => node.id),
          id,
        );
        return { value: id, stats: { clusters_created: 1 } };
      });
      changed.push(made, root.id);
    }
  }
  return changed;
}

/** The most important leads; of equals, what was there first. */
function byAge(a: Node, b: Node): number {
  return b.importance - a.importance || (a.id < b.id ? -1 : 1);
}

/** Greedy and in a fixed order: the first memory that has enough like it leads them. */
async function groupsOf(work: PatrolWork, nodes: readonly Node[]): Promise<readonly (readonly Node[])[]> {
  if (nodes.length < THRESHOLDS.newCluster) return [];
  const isAlike = await alikeness(work, nodes);
  const free = new Set(nodes.keys());
  const groups: Node[][] = [];
  for (const leader of nodes.keys()) {
    if (!free.has(leader)) continue;
    const group = [...free].filter((other) => other === leader || isAlike(leader, other));
    if (group.length < THRESHOLDS.newCluster) continue;
    for (const member of group) free.delete(member);
    groups.push(group.map((member) => nodes[member]!));
  }
  return groups;
}

async function alikeness(
  work: PatrolWork,
  nodes: readonly Node[],
): Promise<(a: number, b: number) => boolean> {
  const numbers = nodes.map(({ number }) => number);
  const vectors = await vectorsOf(work, numbers);
  const space = createWordSpace(nodes);
  const words = nodes.map((node) => space.of([node]));
  return (a, b) => {
    const [one, other] = [vectors.get(numbers[a]!), vectors.get(numbers[b]!)];
    if (one && other) return cosine(one, other) >= THRESHOLDS.cluster;
    return wordCosine(words[a]!, words[b]!) >= THRESHOLDS.clusterByWords;
  };
}

/** The theme most of them share, else the beginning of the most important one. */
function nameFor(group: readonly Node[]): string {
  const counts = new Map<string, number>();
  for (const theme of group.flatMap(({ themes }) => [...new Set(themes)]))
    counts.set(theme, (counts.get(theme) ?? 0) + 1);
  const [best] = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return (best?.[0] ?? group[0]!.action).replace(/\s+/g, ' ').slice(0, 60).toWellFormed().trim();
}
