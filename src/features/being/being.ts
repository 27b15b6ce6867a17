// The Beings of this hub: how they come, change and go. What one remembers is behind its tools.
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { ServerDefinition } from '../../mcp/server.ts';
import type { Query, Tx } from '../../store/database.ts';
import { clean, requireBeing, tell } from './parts.ts';
import { keyPlace } from './patrol/patrol.ts';
import type { Recalling } from './recalling.ts';
import {
  type BeingRow,
  countBeings,
  deleteBeing,
  insertBeing,
  listBeings,
  setLlmKey,
} from './rows/beings.ts';
import { clustersOf, insertCluster } from './rows/clusters.ts';
import { putDoc } from './rows/docs.ts';
import { countNodes, nodesWhere, type NodeStatus } from './rows/nodes.ts';
import { countWaitingScenes } from './rows/notes.ts';
import { LIMITS, nameKey, ROOTS, SOUL_FIELDS } from './rules.ts';
import type { Sealing } from './sealing.ts';

export type Being = Readonly<{
  id: string;
  owner: string;
  name: string;
  hasLlmKey: boolean;
  createdAt: number;
  updatedAt: number;
}>;

export type BeingDetail = Being &
  Readonly<{
    memories: Readonly<Record<NodeStatus, number>>;
    clusters: number;
    waitingScenes: number;
    marker: string | null;
  }>;

type Soul = Readonly<Partial<Record<(typeof SOUL_FIELDS)[number], string>>>;

const DEFAULT_OWNER = 'local';

/** The Beings of this hub. What one of them remembers is behind its tools; here they come and go. */
export interface Beings {
  /** Served to whoever holds a token of a Being. */
  readonly server: ServerDefinition;
  create(
    tx: Tx,
    request: Readonly<{ name: string; owner?: string | undefined; soul?: Soul | undefined }>,
  ): Promise<Being>;
  list(q: Query): Promise<readonly Being[]>;
  show(q: Query, id: string): Promise<BeingDetail>;
  setSoul(tx: Tx, id: string, soul: Soul): Promise<void>;
  /** Null takes it away. It is never shown again. */
  setKey(tx: Tx, id: string, key: string | null): Promise<void>;
  /** Everything: text, index, vectors, tokens. */
  remove(tx: Tx, id: string): Promise<void>;
}

type Parts = Readonly<{ recalling: Recalling; sealing: Sealing; server: ServerDefinition }>;

const PAGE = 500;

export function createBeings({ recalling, sealing, server }: Parts): Beings {
  const setSoul: Beings['setSoul'] = async (tx, id, soul) => {
    await requireBeing(tx, id);
    for (const field of SOUL_FIELDS) {
      const text = soul[field];
      if (text !== undefined)
        await putDoc(tx, id, { target: 'soul', key: field, content: clean(text, field) });
    }
    tell(tx, id, 'soul_changed');
  };
  return {
    server,
    setSoul,
    async create(tx, { name, owner = DEFAULT_OWNER, soul = {} }) {
      const id = newId();
      const called = clean(name, 'name', 80);
      if ((await countBeings(tx)) >= LIMITS.beings)
        throw new HubError('limited', `A hub has at most ${LIMITS.beings} Beings.`);
      if (
        !(await insertBeing(tx, {
          id,
          owner: clean(owner, 'owner', 80),
          name: called,
          nameKey: nameKey(called),
        }))
      ) {
        throw new HubError('conflict', `There is a Being called ${called} already.`, {
          hint: 'Choose another name, or use that one.',
        });
      }
      for (const root of ROOTS) await insertCluster(tx, id, { id: newId(), name: root, parent_id: null });
      await setSoul(tx, id, soul);
      tell(tx, id, 'created');
      return present(await requireBeing(tx, id));
    },
    list: async (q) => (await listBeings(q)).map(present),
    async show(q, id) {
      const row = await requireBeing(q, id);
      return {
        ...present(row),
        memories: await countNodes(q, id),
        clusters: (await clustersOf(q, id)).length,
        waitingScenes: await countWaitingScenes(q, id),
        marker: row.marker,
      };
    },
    async setKey(tx, id, key) {
      await requireBeing(tx, id);
      await setLlmKey(tx, id, key === null ? null : sealing.seal(key, keyPlace(id)));
      tell(tx, id, key === null ? 'key_removed' : 'key_set');
    },
    async remove(tx, id) {
      await requireBeing(tx, id);
      for (let after = ''; ;) {
        const page = await nodesWhere(tx, id, { statuses: ['active', 'dying', 'dead'], after, limit: PAGE });
        if (page.length === 0) break;
        for (const node of page) await recalling.remove(tx, id, node.number);
        after = page.at(-1)!.id;
      }
      await deleteBeing(tx, id);
      tell(tx, id, 'deleted');
    },
  };
}

function present(row: BeingRow): Being {
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    hasLlmKey: row.llm_key !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
