import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { addNode } from './add-node.ts';
import { type Mind, takeTurn, tell } from './parts.ts';
import { deleteNode, type Node, nodeById, updateNode } from './rows/nodes.ts';
import { insertMerge, markUndone, mergeById } from './rows/runs.ts';
import type { Held } from './rows/whose.ts';
import { notFound, THRESHOLDS } from './rules.ts';
import { mergeScenes } from './scene.ts';

/**
 * Merging loses nothing: what is absorbed stays, marked with what took its place, and the state before is written down
 * with the merge, so that it can be undone.
 */
export type Merge = Readonly<{
  survivor: Node;
  absorbed: readonly Node[];
  /** What the survivor says from now on; its own words unless given. */
  action?: string | undefined;
  feeling?: string | undefined;
  runId: string | null;
}>;

/** One memory takes in others, as a patrol does it. Its text changed, so it is filed anew. */
export async function absorb(
  self: Mind,
  { survivor, absorbed, action, feeling, runId }: Merge,
): Promise<void> {
  const merged: Node = {
    ...survivor,
    ...mergeScenes([survivor, ...absorbed]),
    action: action ?? survivor.action,
    feeling: feeling ?? survivor.feeling ?? absorbed.find((node) => node.feeling !== null)?.feeling ?? null,
    importance: Math.min(
      1,
      Math.max(survivor.importance, ...absorbed.map((node) => node.importance)) + THRESHOLDS.survivorGain,
    ),
  };
  await note(self, { survivor: survivor.id, before: [survivor, ...absorbed], absorbed, runId });
  await self.recalling.remove(self, survivor.number);
  const { number } = await self.recalling.file(self, merged);
  await updateNode(self, { ...merged, number });
  await retire(self, absorbed, { reason: 'absorbed', by: survivor.id });
}

export type NewMemory = Readonly<{ action: string; feeling: string | undefined }>;

type MergedInto = Readonly<{ nodes: readonly Node[]; memory: NewMemory; clusterId: string }>;

/** Several memories become a new one, as `merge_nodes` does it. */
export async function mergeInto(self: Mind, { nodes, memory, clusterId }: MergedInto): Promise<Node> {
  const told = {
    ...mergeScenes(nodes),
    action: memory.action,
    feeling: memory.feeling ?? nodes.find((node) => node.feeling !== null)?.feeling ?? null,
  };
  const node = await addNode(self, told, {
    clusterId,
    importance: Math.max(...nodes.map(({ importance }) => importance)),
    isFresh: false,
    isPinned: nodes.some(({ isPinned }) => isPinned),
    cycles: Math.min(...nodes.map(({ cycles }) => cycles)),
    reactivations: Math.max(...nodes.map(({ reactivations }) => reactivations)),
  });
  await note(self, { survivor: node.id, before: nodes, absorbed: nodes, runId: null });
  await retire(self, nodes, { reason: 'merged', by: node.id });
  return node;
}

/** Puts back what was there before. Refused when something has happened to it since. */
export async function undoMerge(self: Mind, id: string): Promise<readonly string[]> {
  await takeTurn(self);
  const merge = await mergeById(self, id);
  if (!merge) throw notFound('merge', id);
  const { before, absorbed } = merge;
  const survivor = await nodeById(self, merge.survivor);
  const current = await Promise.all(absorbed.map((each) => nodeById(self, each)));
  const isUntouched =
    survivor?.status !== 'dead' && current.every((node) => node?.replacedBy === merge.survivor);
  if (!survivor || !isUntouched || (await markUndone(self, id)) === 0) {
    throw new HubError(
      'conflict',
      'This merge cannot be undone: it was undone before, or what came of it was merged again.',
      { id },
    );
  }
  await self.recalling.remove(self, survivor.number);
  const old = before.find((node) => node.id === survivor.id);
  if (!old) await deleteNode(self, survivor.id);
  else
    await updateNode(self, {
      ...old,
      number: (await self.recalling.file(self, old)).number,
      clusterId: survivor.clusterId,
    });
  // What came from one cluster follows what was made of it; what came from several goes back to its own.
  const isOfOne = new Set(before.map(({ clusterId }) => clusterId)).size === 1;
  for (const node of before) {
    const here = current.find((each) => each?.id === node.id);
    // Where it is filed today: an import files everything anew.
    if (here)
      await updateNode(self, {
        ...node,
        number: here.number,
        clusterId: isOfOne ? survivor.clusterId : here.clusterId,
        isFresh: false,
      });
  }
  tell(self, 'merge_undone', { id });
  return before.map((node) => node.id);
}

async function retire(
  self: Held,
  nodes: readonly Node[],
  { reason, by }: Readonly<{ reason: 'absorbed' | 'merged'; by: string }>,
): Promise<void> {
  for (const node of nodes)
    await updateNode(self, { ...node, status: 'dead', reason, replacedBy: by, isFresh: false });
}

type Noted = Readonly<{
  survivor: string;
  before: readonly Node[];
  absorbed: readonly Node[];
  runId: string | null;
}>;

async function note(self: Held, { survivor, before, absorbed, runId }: Noted): Promise<void> {
  const id = newId();
  await insertMerge(self, {
    id,
    runId,
    survivor,
    absorbed: absorbed.map((node) => node.id),
    before,
    at: self.tx.now,
  });
  tell(self, 'merged', { id, absorbed: absorbed.length });
}
