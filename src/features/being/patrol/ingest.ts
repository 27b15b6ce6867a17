// Scene notes become memories. A note goes in the transaction that makes its memory, so a crash loses
// nothing.
import { addNode } from '../add-node.ts';
import { recentre } from '../centres.ts';
import { readScene } from '../notes.ts';
import type { Embedded } from '../being-recall.ts';
import { type ClusterRow, clustersOf } from '../rows/clusters.ts';
import { type Node, setCluster, unembeddedNodes } from '../rows/nodes.ts';
import { deleteNote, markFailed, type NoteRow, waitingScenes } from '../rows/notes.ts';
import type { NewScene, Told } from '../scene.ts';
import { groupRoots } from './groups.ts';
import { likenessOf, type Likeness } from './likeness.ts';
import type { Finish, PatrolWork } from './work.ts';

const PAGE = 100;

/**
 * Scene notes become memories, page by page. Invariant: a note is deleted in the transaction that makes its memory, so a
 * crash at any moment leaves either the note or the memory, never both and never neither (test/contract/being-crash).
 */
export async function ingest(work: PatrolWork): Promise<Finish> {
  const touched = new Set<string>();
  for (;;) {
    const page = await work.read((self) => waitingScenes(self, PAGE));
    if (page.length === 0) break;
    for (const cluster of await takeIn(work, page)) touched.add(cluster);
    if (work.signal.aborted) throw work.signal.reason;
  }
  await embedMissing(work, touched);
  for (const cluster of await groupRoots(work)) touched.add(cluster);
  return async (self) => {
    for (const cluster of touched) await recentre(self, cluster, work.model);
    return { clusters_touched: touched.size };
  };
}

type Read = Readonly<{ note: NoteRow; told: Told; scene: NewScene }>;

async function takeIn(work: PatrolWork, notes: readonly NoteRow[]): Promise<readonly string[]> {
  const { recalling } = work;
  const scenes = notes.map((note) => ({ note, scene: readScene(note.content) }));
  const good: Read[] = scenes.flatMap(({ note, scene }) =>
    scene ? [{ note, scene, told: toldBy(scene) }] : [],
  );
  const bad = scenes.filter(({ scene }) => scene === undefined);
  const embedded = work.isDry
    ? undefined
    : await recalling.embed(
        good.map(({ told }) => told),
        work.signal,
      );
  const clusters = await work.read(clustersOf);
  const likeness = await likenessOf(
    work,
    clusters.filter(({ parentId }) => parentId !== null),
    good.map(({ told }) => told),
  );
  return work.write(async (self) => {
    const touched = new Set<string>();
    const numbers: { number: number; vector: Float32Array }[] = [];
    let made = 0;
    for (const [i, { note, scene, told }] of good.entries()) {
      // Somebody may have deleted or replaced it since it was read.
      if ((await deleteNote(self, note.id, 'scene')) === 0) continue;
      const vector = embedded?.vectors[i];
      const clusterId = clusterFor(told, vector, { clusters, likeness });
      const { number } = await addNode(self, told, {
        clusterId,
        importance: scene.importance ?? 0.5,
        isFresh: true,
      });
      if (vector) numbers.push({ number, vector });
      touched.add(clusterId);
      made += 1;
    }
    for (const { note } of bad) await markFailed(self, note.id);
    if (embedded && numbers.length > 0) await recalling.keepVectors(self.tx, embedded.model, numbers);
    return { value: [...touched], stats: { nodes_created: made, scenes_failed: bad.length } };
  });
}

function toldBy({ action, actors, when, setting, feeling, themes }: NewScene): Told {
  return {
    action,
    scene: { actors, when, ...(setting !== undefined && { setting }) },
    feeling: feeling ?? null,
    themes: themes ?? [],
  };
}

type Choice = Readonly<{ clusters: readonly ClusterRow[]; likeness: Likeness }>;

/** The cluster most like it; else the root its themes name; else the first one. */
function clusterFor(told: Told, vector: Float32Array | undefined, { clusters, likeness }: Choice): string {
  const roots = clusters.filter(({ parentId }) => parentId === null);
  const best = likeness.bestFor(
    told,
    vector,
    clusters.filter(({ parentId }) => parentId !== null),
  );
  if (best) return best.id;
  const themes = new Set(told.themes.map((theme) => theme.toLowerCase()));
  return (
    roots.find(({ name }) => themes.has(name.toLowerCase())) ??
    roots.find(({ name }) => name === 'Business') ??
    roots[0]!
  ).id;
}

/** What an endpoint that was away left without a vector, and what another model has none of. */
async function embedMissing(work: PatrolWork, touched: Set<string>): Promise<void> {
  const { recalling, model } = work;
  if (model === undefined || work.isDry) return;
  for (;;) {
    const nodes: readonly Node[] = await work.read((self) => unembeddedNodes(self, model, PAGE));
    const embedded: Embedded | undefined =
      nodes.length === 0 ? undefined : await recalling.embed(nodes, work.signal);
    if (!embedded || embedded.model !== model) return;
    const all = await work.read(clustersOf);
    const clusters = all.filter(({ parentId }) => parentId !== null);
    const roots = new Set(all.filter(({ parentId }) => parentId === null).map(({ id }) => id));
    const likeness = await likenessOf(work, clusters, nodes);
    await work.write(async (self) => {
      const kept = nodes.map(({ number }, i) => ({ number, vector: embedded.vectors[i]! }));
      await recalling.keepVectors(self.tx, model, kept);
      for (const [i, node] of nodes.entries()) {
        const better = roots.has(node.clusterId)
          ? likeness.bestFor(node, embedded.vectors[i], clusters)
          : undefined;
        if (better) await setCluster(self, [node.id], better.id);
        touched.add(better?.id ?? node.clusterId);
      }
      return { value: undefined, stats: { embedded: nodes.length } };
    });
  }
}
