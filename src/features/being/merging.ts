import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { takeTurn, tell } from './parts.ts';
import type { Recalling } from './recalling.ts';
import { deleteNode, insertNode, type Node, nodeById, updateNode } from './rows/nodes.ts';
import { insertMerge, markUndone, mergeById } from './rows/runs.ts';
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
  tx: Tx,
  recalling: Recalling,
  being: string,
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
  await note(tx, being, { survivor: survivor.id, before: [survivor, ...absorbed], absorbed, runId });
  await recalling.remove(tx, being, survivor.number);
  const { number } = await recalling.file(tx, being, merged);
  await updateNode(tx, being, { ...merged, number });
  await retire(tx, being, absorbed, { reason: 'absorbed', by: survivor.id });
}

export type NewMemory = Readonly<{ action: string; feeling: string | undefined }>;

type MergedInto = Readonly<{ nodes: readonly Node[]; memory: NewMemory }>;

/** Several memories become a new one, as `merge_nodes` does it. */
export async function mergeInto(
  tx: Tx,
  recalling: Recalling,
  being: string,
  { nodes, memory }: MergedInto,
): Promise<Node> {
  const id = newId();
  const told = {
    ...mergeScenes(nodes),
    action: memory.action,
    feeling: memory.feeling ?? nodes.find((node) => node.feeling !== null)?.feeling ?? null,
  };
  const { number } = await recalling.file(tx, being, { ...told, id });
  const node: Node = {
    ...told,
    id,
    number,
    clusterId: nodes[0]!.clusterId,
    importance: Math.max(...nodes.map(({ importance }) => importance)),
    status: 'active',
    reason: null,
    replacedBy: null,
    isFresh: false,
    isPinned: nodes.some(({ isPinned }) => isPinned),
    cycles: Math.min(...nodes.map(({ cycles }) => cycles)),
    reactivations: Math.max(...nodes.map(({ reactivations }) => reactivations)),
    dyingCycles: 0,
    lastActivated: tx.now,
    createdAt: tx.now,
    updatedAt: tx.now,
  };
  await insertNode(tx, being, node);
  await note(tx, being, { survivor: id, before: nodes, absorbed: nodes, runId: null });
  await retire(tx, being, nodes, { reason: 'merged', by: id });
  return node;
}

/** Puts back what was there before. Refused when something has happened to it since. */
export async function undoMerge(
  tx: Tx,
  recalling: Recalling,
  being: string,
  id: string,
): Promise<readonly string[]> {
  await takeTurn(tx, being);
  const merge = await mergeById(tx, being, id);
  if (!merge) throw notFound('merge', id);
  const before = JSON.parse(merge.before) as Node[];
  const absorbed = JSON.parse(merge.absorbed) as string[];
  const survivor = await nodeById(tx, being, merge.survivor);
  const current = await Promise.all(absorbed.map((each) => nodeById(tx, being, each)));
  const isUntouched =
    survivor?.status !== 'dead' && current.every((node) => node?.replacedBy === merge.survivor);
  if (!survivor || !isUntouched || (await markUndone(tx, being, id)) === 0) {
    throw new HubError(
      'conflict',
      'This merge cannot be undone: it was undone before, or what came of it was merged again.',
      { id },
    );
  }
  await recalling.remove(tx, being, survivor.number);
  const old = before.find((node) => node.id === survivor.id);
  if (!old) await deleteNode(tx, being, survivor.id);
  else
    await updateNode(tx, being, {
      ...old,
      number: (await recalling.file(tx, being, old)).number,
      clusterId: survivor.clusterId,
    });
  for (const node of before) {
    const here = current.find((each) => each?.id === node.id);
    // Where it is filed today: an import files everything anew.
    if (here)
      await updateNode(tx, being, {
        ...node,
        number: here.number,
        clusterId: survivor.clusterId,
        isFresh: false,
      });
  }
  tell(tx, being, 'merge_undone', { id });
  return before.map((node) => node.id);
}

async function retire(
  tx: Tx,
  being: string,
  nodes: readonly Node[],
  { reason, by }: Readonly<{ reason: 'absorbed' | 'merged'; by: string }>,
): Promise<void> {
  for (const node of nodes)
    await updateNode(tx, being, { ...node, status: 'dead', reason, replacedBy: by, isFresh: false });
}

type Noted = Readonly<{
  survivor: string;
  before: readonly Node[];
  absorbed: readonly Node[];
  runId: string | null;
}>;

async function note(tx: Tx, being: string, { survivor, before, absorbed, runId }: Noted): Promise<void> {
  const id = newId();
  await insertMerge(tx, being, {
    id,
    run_id: runId,
    survivor,
    absorbed: JSON.stringify(absorbed.map((node) => node.id)),
    before: JSON.stringify(before),
    created_at: tx.now,
  });
  tell(tx, being, 'merged', { id, absorbed: absorbed.length });
}
