import { newId } from '../../kernel/ids.ts';
import type { Mind } from './parts.ts';
import { insertNode, type Node } from './rows/nodes.ts';
import type { Told } from './scene.ts';

type Beginning = Pick<Node, 'clusterId' | 'importance' | 'isFresh'> &
  Partial<Pick<Node, 'isPinned' | 'cycles' | 'reactivations'>>;

/** A new memory: in its cluster, and where recall finds it. */
export async function addNode(self: Mind, told: Told, beginning: Beginning): Promise<Node> {
  const { now } = self.tx;
  const id = newId();
  const { number } = await self.recalling.file(self, { ...told, id });
  const node: Node = {
    ...told,
    id,
    number,
    status: 'active',
    reason: null,
    replacedBy: null,
    isPinned: false,
    cycles: 0,
    reactivations: 0,
    dyingCycles: 0,
    lastActivated: now,
    createdAt: now,
    updatedAt: now,
    ...beginning,
  };
  await insertNode(self, node);
  return node;
}
