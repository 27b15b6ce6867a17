import { centreIn, cosine } from '../centres.ts';
import type { ClusterRow } from '../rows/clusters.ts';
import { type Node, nodesOfCluster } from '../rows/nodes.ts';
import { THRESHOLDS } from '../rules.ts';
import type { Told } from '../scene.ts';
import { createWordSpace, wordCosine, type WordVector } from './words.ts';
import type { PatrolWork } from './work.ts';

/** How like a memory is to clusters: by the centre of their vectors where both have one, else by their words. */
export interface Likeness {
  /** The best of these from the threshold on. */
  bestFor(
    memory: Told,
    vector: Float32Array | undefined,
    among: readonly ClusterRow[],
  ): ClusterRow | undefined;
  bestSibling(cluster: ClusterRow, among: readonly ClusterRow[]): ClusterRow | undefined;
}

/** Memories of a cluster that stand for it. */
const SAMPLE = 60;

export async function likenessOf(
  work: PatrolWork,
  clusters: readonly ClusterRow[],
  others: readonly Told[] = [],
): Promise<Likeness> {
  const members = new Map<string, readonly Node[]>();
  await work.read(async (self) => {
    for (const { id } of clusters) members.set(id, await nodesOfCluster(self, id, { limit: SAMPLE }));
  });
  const space = createWordSpace([...[...members.values()].flat(), ...others]);
  const words = new Map(clusters.map(({ id }) => [id, space.of(members.get(id)!)]));

  function best(
    among: readonly ClusterRow[],
    score: (cluster: ClusterRow) => readonly [number, number],
  ): ClusterRow | undefined {
    let found: ClusterRow | undefined;
    let most = 0;
    for (const cluster of among) {
      const [likeness, threshold] = score(cluster);
      // In units of its threshold, so that the two measures can be compared.
      if (likeness >= threshold && likeness / threshold > most)
        [found, most] = [cluster, likeness / threshold];
    }
    return found;
  }

  function compare(
    vector: Float32Array | undefined,
    own: WordVector,
    cluster: ClusterRow,
  ): readonly [number, number] {
    const centre = vector && centreIn(cluster, work.model);
    if (vector && centre) return [cosine(vector, centre), THRESHOLDS.cluster];
    return [wordCosine(own, words.get(cluster.id) ?? new Map()), THRESHOLDS.clusterByWords];
  }

  return {
    bestFor(memory, vector, among) {
      const own = space.of([memory]);
      return best(among, (cluster) => compare(vector, own, cluster));
    },
    bestSibling(cluster, among) {
      const vector = centreIn(cluster, work.model);
      const own = words.get(cluster.id) ?? new Map<string, number>();
      return best(among, (sibling) => compare(vector, own, sibling));
    },
  };
}
