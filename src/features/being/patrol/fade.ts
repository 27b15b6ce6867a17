import { type Node, type NodeStatus, nodesWhere, setStatus, tick } from '../rows/nodes.ts';
import { hasFaded, THRESHOLDS } from '../rules.ts';
import type { Finish, PatrolWork } from './work.ts';

const PAGE = 500;

export async function age(): Promise<Finish> {
  return async (self) => ({ ticked: await tick(self) });
}

/** What has faded is dying, and what was dying for long enough comes to rest. Pinned memories do neither. */
export async function fade(work: PatrolWork): Promise<Finish> {
  await eachPage(work, ['dying'], async (nodes) => {
    const resting = nodes.filter(
      (node) => !node.isPinned && node.dyingCycles >= THRESHOLDS.restAfter && hasFaded(node),
    );
    await work.write(async (self) => ({
      value: undefined,
      stats: { rested: await setStatus(self, resting, { status: 'dead', reason: 'decayed' }) },
    }));
  });
  await eachPage(work, ['active'], async (nodes) => {
    const faded = nodes.filter((node) => !node.isPinned && hasFaded(node));
    await work.write(async (self) => ({
      value: undefined,
      stats: { dying: await setStatus(self, faded, { status: 'dying', reason: null }) },
    }));
  });
  return async () => ({});
}

/** Called back often enough, a memory that was fading or had faded lives again; one that was absorbed does not. */
export async function revive(work: PatrolWork): Promise<Finish> {
  await eachPage(work, ['dying', 'dead'], async (nodes) => {
    const back = nodes.filter(
      (node) => (node.status === 'dying' || node.reason === 'decayed') && (node.isPinned || !hasFaded(node)),
    );
    await work.write(async (self) => ({
      value: undefined,
      stats: { revived: await setStatus(self, back, { status: 'active', reason: null }) },
    }));
  });
  return async () => ({});
}

async function eachPage(
  work: PatrolWork,
  statuses: readonly NodeStatus[],
  visit: (nodes: readonly Node[]) => Promise<void>,
): Promise<void> {
  for (let after = ''; ;) {
    const page = await work.read((self) => nodesWhere(self, { statuses, after, limit: PAGE }));
    if (page.length === 0) return;
    after = page.at(-1)!.id;
    await visit(page);
  }
}
