// Large clusters are divided, small ones folded, changed ones described anew. No memory is lost on the
// way.
import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import { recentre } from '../centres.ts';
import {
  type ClusterRow,
  clusterSizes,
  clustersOf,
  deleteCluster,
  insertCluster,
  setDigest,
} from '../rows/clusters.ts';
import { moveAll, type Node, nodesOfCluster, setCluster } from '../rows/nodes.ts';
import { THRESHOLDS } from '../rules.ts';
import { instruct, readAnswer, splitAnswer, type SplitAnswer } from './answers.ts';
import { forModel } from './consolidate.ts';
import { likenessOf } from './likeness.ts';
import type { Finish, PatrolWork } from './work.ts';

const MOST_SPLIT = 200;
const DIGEST_LINES = 5;
const DIGEST_LENGTH = 600;

async function sizesOf(
  work: PatrolWork,
): Promise<ReadonlyMap<string, Readonly<{ active: number; total: number }>>> {
  return new Map((await work.read(clusterSizes)).map((size) => [size.id, size]));
}

const TASK =
  'These memories lie in one cluster that has grown too large. Divide them into parts by topic, each of at least two. Leave at least two of them out of every part.';
const SHAPE = '{"parts":[{"name":"…","node_ids":["<id>","<id>"]}]}';

/** Large clusters are divided by a model; one whose answer cannot be used stays whole. */
export async function split(work: PatrolWork): Promise<Finish> {
  const sizes = await sizesOf(work);
  const large = (await work.read(clustersOf)).filter(
    ({ id, parentId }) => parentId !== null && (sizes.get(id)?.active ?? 0) > THRESHOLDS.split,
  );
  let problems = 0;
  for (const cluster of large) {
    const members = await work.read((self) => nodesOfCluster(self, cluster.id, { limit: MOST_SPLIT }));
    const active = members.filter(({ status }) => status === 'active');
    try {
      const answer = await work.ask!(
        instruct(TASK, SHAPE),
        JSON.stringify(active.map(forModel)),
        work.signal,
      );
      await divide(work, { cluster, active }, readAnswer(splitAnswer, answer));
    } catch (error) {
      if (work.signal.aborted) throw error;
      problems += 1;
    }
  }
  return async () => ({ model_problems: problems });
}

type Crowded = Readonly<{ cluster: ClusterRow; active: readonly Node[] }>;

/** Every memory once, parts of at least two, and at least two that stay. */
async function divide(work: PatrolWork, { cluster, active }: Crowded, { parts }: SplitAnswer): Promise<void> {
  const known = new Set(active.map(({ id }) => id));
  const all = parts.flatMap(({ node_ids }) => node_ids);
  const isSound =
    new Set(all).size === all.length &&
    all.every((id) => known.has(id)) &&
    active.length - all.length >= THRESHOLDS.small;
  if (!isSound || parts.length === 0) return;
  await work.write(async (self) => {
    for (const { name, node_ids } of parts) {
      const id = newId();
      await insertCluster(self, {
        id,
        name: redact(name).slice(0, 80).toWellFormed(),
        parentId: cluster.parentId,
      });
      await setCluster(self, node_ids, id);
      await recentre(self, id, work.model);
    }
    await recentre(self, cluster.id, work.model);
    return { value: undefined, stats: { clusters_created: parts.length } };
  });
}

/** Small clusters join a sibling like them, else their root; empty ones go. All their memories move along, the dead too. */
export async function fold(work: PatrolWork): Promise<Finish> {
  const sizes = await sizesOf(work);
  const clusters = await work.read(clustersOf);
  const below = clusters.filter(({ parentId }) => parentId !== null);
  const activeIn = ({ id }: ClusterRow) => sizes.get(id)?.active ?? 0;
  const small = below.filter((cluster) => activeIn(cluster) <= THRESHOLDS.small);
  const likeness = small.length === 0 ? undefined : await likenessOf(work, below);
  for (const cluster of small) {
    const siblings = below.filter((other) => {
      const isFitting = other.parentId === cluster.parentId && !small.includes(other);
      return isFitting && activeIn(other) <= THRESHOLDS.sibling;
    });
    const to = likeness?.bestSibling(cluster, siblings)?.id ?? cluster.parentId!;
    await work.write(async (self) => {
      await moveAll(self, cluster.id, to);
      await deleteCluster(self, cluster.id);
      await recentre(self, to, work.model);
      return { value: undefined, stats: { clusters_folded: 1 } };
    });
  }
  return async () => ({});
}

/** What a cluster is about, in the words of its most important memories. */
export async function digest(work: PatrolWork): Promise<Finish> {
  const clusters = await work.read(clustersOf);
  const digests = new Map<string, string>();
  for (const { id } of clusters) {
    const top = await work.read((self) => nodesOfCluster(self, id, { limit: DIGEST_LINES * 2 }));
    const lines = top
      .filter(({ status }) => status === 'active')
      .slice(0, DIGEST_LINES)
      .map(({ action }) => action.replace(/\s+/g, ' '));
    const children = clusters.filter(({ parentId }) => parentId === id).map(({ name }) => name);
    const about = children.length === 0 ? [] : [`About: ${children.slice(0, 20).join(', ')}`];
    digests.set(id, [...about, ...lines].join('; ').slice(0, DIGEST_LENGTH).toWellFormed());
  }
  return async (self) => {
    for (const [id, text] of digests) await setDigest(self, id, text);
    return {};
  };
}
