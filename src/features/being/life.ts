// How Beings come, change and go.
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { clean, type Mind, requireBeing, tell } from './parts.ts';
import { callOffPatrol, keyPlace } from './patrol/patrol.ts';
import { type BeingRow, changeBeing, countBeings, deleteBeing, insertBeing } from './rows/beings.ts';
import { insertCluster } from './rows/clusters.ts';
import { putDoc } from './rows/docs.ts';
import { nodesWhere, setPinned } from './rows/nodes.ts';
import { type Held, held } from './rows/whose.ts';
import { LIMITS, nameKey, notFound, ROOTS, SOUL_FIELDS } from './rules.ts';

type Soul = Readonly<Partial<Record<(typeof SOUL_FIELDS)[number], string | undefined>>>;

export type NewBeing = Readonly<{ name: string; owner?: string | undefined; soul?: Soul | undefined }>;

const DEFAULT_OWNER = 'local';

export async function createBeing(tx: Tx, request: NewBeing): Promise<BeingRow> {
  const { owner = DEFAULT_OWNER, soul = {} } = request;
  const id = newId();
  const name = clean(request.name, 'name', 80);
  if ((await countBeings(tx)) >= LIMITS.beings)
    throw new HubError('limited', `A hub has at most ${LIMITS.beings} Beings.`);
  const being = { id, owner: clean(owner, 'owner', 80), name, nameKey: nameKey(name) };
  if (!(await insertBeing(tx, being))) {
    throw new HubError('conflict', `There is a Being called ${name} already.`, {
      hint: 'Choose another name, or use that one.',
    });
  }
  const self = held(tx, id);
  for (const root of ROOTS) await insertCluster(self, { id: newId(), name: root, parentId: null });
  await setSoul(self, soul);
  tell(self, 'created');
  return requireBeing(self);
}

export async function setSoul(self: Held, soul: Soul): Promise<void> {
  await requireBeing(self);
  for (const field of SOUL_FIELDS) {
    const text = soul[field];
    if (text !== undefined) await putDoc(self, { target: 'soul', key: field, content: clean(text, field) });
  }
  tell(self, 'soul_changed');
}

/** Null takes it away. It is never shown again. */
export async function setKey(self: Mind, key: string | null): Promise<void> {
  await requireBeing(self);
  await changeBeing(self, { llmKey: key === null ? null : self.sealing.seal(key, keyPlace(self.being)) });
  tell(self, key === null ? 'key_removed' : 'key_set');
}

const PAGE = 500;

/** Everything: text, index, vectors. */
export async function removeBeing(self: Mind): Promise<void> {
  for (let after = ''; ;) {
    const page = await nodesWhere(self, { statuses: ['active', 'dying', 'dead'], after, limit: PAGE });
    if (page.length === 0) break;
    for (const node of page) await self.recalling.remove(self, node.number);
    after = page.at(-1)!.id;
  }
  await callOffPatrol(self);
  await deleteBeing(self);
  tell(self, 'deleted');
}

/** A memory that is pinned does not fade. */
export async function pin(self: Held, node: string, isPinned: boolean): Promise<void> {
  if ((await setPinned(self, node, isPinned)) === 0) throw notFound('memory', node);
  tell(self, isPinned ? 'pinned' : 'unpinned');
}
