import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { excerpt } from '../../kernel/redact.ts';
import { recentre } from './centres.ts';
import { mergeInto, type NewMemory } from './merges.ts';
import { clean, type Mind, takeTurn, tell } from './parts.ts';
import type { Recalling } from './being-recall.ts';
import { clusterById, type ClusterRow, clusterSizes, clustersOf } from './rows/clusters.ts';
import {
  type Node,
  nodeById,
  nodesByIds,
  nodesByNumbers,
  nodesOfCluster,
  nodesWithWords,
  reactivate,
} from './rows/nodes.ts';
import type { Held, Seen } from './rows/whose.ts';
import { clip, defang, isUuid, LIMITS, notFound } from './rules.ts';
import type { exploreShape, mergeShape, Said, searchShape } from './shapes.ts';
import { dateOf, sceneLine } from './scene.ts';

/** Chooses a whole number below `n`; tests bring their own. */
export type Pick = (n: number) => number;

/** One Being as a caller reaches it, for what asks recall between its transactions. */
export type Reached = Readonly<{
  being: string;
  look<T>(unit: (self: Seen) => Promise<T>): Promise<T>;
  change<T>(unit: (self: Mind) => Promise<T>): Promise<T>;
  recalling: Recalling;
  pick: Pick;
  log: Log;
}>;

const AT_ONCE = 12;
const LONG = 4_000;
const NOTHING = 'No memory comes to mind for this.';

/** `recall`: a few fragments, in no order that would suggest a story. */
export async function recallFor(
  { being, change, recalling, pick }: Reached,
  message: string,
): Promise<string> {
  // What a long message is about stands at its beginning or its end.
  const { numbers } = await recalling.find(
    being,
    message.length > LONG
      ? `${message.slice(0, LONG / 2)}\n${message.slice(-LONG / 2)}`.toWellFormed()
      : message,
  );
  if (numbers.length === 0) return NOTHING;
  const nodes = await change(async (self) => {
    const living = await livingOf(self, numbers);
    await reactivate(self, living);
    if (living.length > 0) tell(self, 'recalled', { count: living.length });
    return living;
  });
  if (nodes.length === 0) return NOTHING;
  const fragments = shuffle(nodes.map(fragmentOf), pick);
  return `<memory-recall>\n${fragments.join(' / ')}\n</memory-recall>`;
}

/** Nearly always the first few are enough. */
async function livingOf(self: Seen, numbers: readonly number[]): Promise<Node[]> {
  const living: Node[] = [];
  for (let start = 0; start < numbers.length && living.length < LIMITS.recalled; start += AT_ONCE) {
    const page = await inOrder(self, numbers.slice(start, start + AT_ONCE));
    living.push(...page.filter(({ status }) => status !== 'dead'));
  }
  return living.slice(0, LIMITS.recalled);
}

function fragmentOf({ action, feeling }: Node): string {
  const text = feeling === null ? action : `${action} (${feeling})`;
  return defang(text.replace(/\s+/g, ' ')).slice(0, 600).toWellFormed();
}

function shuffle<T>(items: readonly T[], pick: Pick): T[] {
  const shuffled = [...items];
  for (let i = shuffled.length - 1; i > 0; i--) {
    const j = pick(i + 1);
    [shuffled[i], shuffled[j]] = [shuffled[j]!, shuffled[i]!];
  }
  return shuffled;
}

export async function searchMemory(
  { being, change, recalling }: Reached,
  { query, limit = 10, mode = 'or' }: Said<typeof searchShape>,
): Promise<string> {
  const { method, numbers } = await recalling.find(being, query);
  const words = [
    ...new Set(
      query
        .toLowerCase()
        .split(/\s+/)
        .filter((word) => word !== ''),
    ),
  ].slice(0, 20);
  const nodes = await change(async (self) => {
    let found = (await inOrder(self, numbers)).filter(isShown);
    if (method === 'keyword' && found.length === 0 && words.length > 0)
      found = await nodesWithWords(self, words, 100);
    if (method === 'keyword' && mode === 'and') found = found.filter((node) => hasAll(node, words));
    const shown = found.slice(0, limit);
    await reactivate(self, shown);
    if (shown.length > 0) tell(self, 'searched', { count: shown.length });
    return shown;
  });
  const how = method === 'vector' ? 'vector search' : `keyword search, ${mode}`;
  if (nodes.length === 0) return `No memory found (${how}).`;
  return clip(
    [
      `${nodes.length} ${nodes.length === 1 ? 'memory' : 'memories'} found (${how}):`,
      ...nodes.map(lineOf),
    ].join('\n'),
  );
}

/** What was absorbed or merged lives on in another memory. */
function isShown({ status, reason }: Node): boolean {
  return status !== 'dead' || reason === 'decayed';
}

function hasAll({ action, feeling, themes, scene }: Node, words: readonly string[]): boolean {
  const dates = scene.when.map(dateOf).join(' ');
  const text = [action, feeling ?? '', themes.join(' '), scene.actors.join(' '), scene.setting ?? '', dates]
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}

function lineOf(node: Node): string {
  const themes = node.themes.length === 0 ? '' : ` (${node.themes.join(', ')})`;
  const state = node.status === 'active' ? '' : ` [${node.status}]`;
  return defang(`- [${node.id}] ${sceneLine(node)}${themes}${state}`);
}

async function inOrder(self: Seen, numbers: readonly number[]): Promise<Node[]> {
  const nodes = await nodesByNumbers(self, numbers);
  const byNumber = new Map(nodes.map((node) => [node.number, node]));
  return numbers.flatMap((number) => byNumber.get(number) ?? []);
}

/** `recall_memory`: the clusters, one of them, or one memory. Looking at a memory keeps it alive. */
export async function exploreMemory(self: Held, request: Said<typeof exploreShape>): Promise<string> {
  const { node_id, cluster_id, limit = 5, query, no_nodes } = request;
  if (node_id !== undefined) {
    const node = await nodeById(self, node_id);
    if (!node) throw notFound('memory', node_id);
    await reactivate(self, [node]);
    tell(self, 'looked_at', { count: 1 });
    return clip(detailOf({ ...node, reactivations: node.reactivations + (node.status === 'dead' ? 2 : 1) }));
  }
  if (cluster_id === undefined) return clip(await listClusters(self));
  const cluster = await clusterById(self, cluster_id);
  if (!cluster) throw notFound('cluster', cluster_id);
  const head = `[${cluster.id}] ${cluster.name}\n${defang(cluster.digest) || '(no digest yet)'}`;
  if (no_nodes) return clip(head);
  const words = query?.trim() ? [query.trim()] : [];
  const nodes = await nodesOfCluster(self, cluster_id, { limit, words });
  await reactivate(self, nodes);
  if (nodes.length > 0) tell(self, 'looked_at', { count: nodes.length });
  const lines = nodes.map((node) => `${lineOf(node)} importance ${node.importance.toFixed(2)}`);
  return clip([head, ...(lines.length > 0 ? lines : ['(no memory matches)'])].join('\n'));
}

async function listClusters(self: Seen): Promise<string> {
  const sizes = new Map((await clusterSizes(self)).map((size) => [size.id, size]));
  const clusters = await clustersOf(self);
  const line = (cluster: ClusterRow) => {
    const active = sizes.get(cluster.id)?.active ?? 0;
    const digest =
      cluster.digest === '' ? '' : ` — ${cluster.digest.replace(/\s+/g, ' ').slice(0, 200).toWellFormed()}`;
    return defang(
      `${cluster.parentId === null ? '' : '  '}[${cluster.id}] ${cluster.name} (${active})${digest}`,
    );
  };
  const roots = clusters.filter(({ parentId }) => parentId === null);
  return roots
    .flatMap((root) => [root, ...clusters.filter(({ parentId }) => parentId === root.id)].map(line))
    .join('\n');
}

function detailOf(node: Node): string {
  const when = node.scene.when.map((moment) =>
    typeof moment === 'string' ? moment : `${moment.date}: ${moment.action}`,
  );
  const fields: readonly (readonly [string, string])[] = [
    ['id', node.id],
    ['cluster_id', node.clusterId],
    ['action', node.action],
    ['actors', node.scene.actors.join(', ')],
    ['when', when.join('; ')],
    ['setting', node.scene.setting ?? ''],
    ['feeling', node.feeling ?? ''],
    ['themes', node.themes.join(', ')],
    ['importance', node.importance.toFixed(2)],
    ['status', node.reason === null ? node.status : `${node.status} (${node.reason})`],
    ['replaced_by', node.replacedBy ?? ''],
    ['reactivation_count', String(node.reactivations)],
    ['session_count', String(node.cycles)],
    ['last_activated', new Date(node.lastActivated).toISOString()],
  ];
  return defang(
    fields
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name}: ${value.replace(/\s+/g, ' ')}`)
      .join('\n'),
  );
}

const MOST_MERGED = 50;

export async function mergeNodes(
  { change, recalling, log }: Reached,
  request: Said<typeof mergeShape>,
): Promise<string> {
  const ids = readIds(request.node_ids);
  const memory: NewMemory = {
    action: clean(request.summary, 'summary', LIMITS.answer),
    feeling: request.feeling === undefined ? undefined : clean(request.feeling, 'feeling', 2_000),
  };
  const merged = await change(async (self) => {
    await takeTurn(self);
    const nodes = await mergeable(self, ids);
    const clusters = await oldestFirst(self, nodes);
    return { ...(await mergeInto(self, { nodes, memory, clusterId: clusters[0]! })), clusters };
  });
  // The merge stands; what follows only makes it easier to find.
  const embedded = await recalling.embed([merged], AbortSignal.timeout(5_000));
  const model = await recalling.model();
  await change(async (self) => {
    if (embedded)
      await recalling.keepVectors(self.tx, embedded.model, [
        { number: merged.number, vector: embedded.vectors[0]! },
      ]);
    for (const cluster of merged.clusters) await recentre(self, cluster, model);
  }).catch((error: unknown) =>
    log.warn('The centre of a cluster was not moved after a merge; the next patrol does it.', { error }),
  );
  return `Merged ${ids.length} memories into ${merged.id}.`;
}

function readIds(text: string): string[] {
  const ids = text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const wrong = ids.find((id) => !isUuid(id));
  if (wrong !== undefined)
    throw new HubError('invalid', `node_ids must be UUIDs separated by commas, got ${excerpt(wrong, 60)}`);
  const unique = [...new Set(ids.map((id) => id.toLowerCase()))];
  if (unique.length < 2)
    throw new HubError('invalid', `merging takes at least two different memories, got ${unique.length}`);
  if (unique.length > MOST_MERGED)
    throw new HubError('invalid', `at most ${MOST_MERGED} memories are merged at once, got ${unique.length}`);
  return unique;
}

/** The clusters that memories lie in: the one that was made first takes what comes of them. */
async function oldestFirst(self: Seen, nodes: readonly Node[]): Promise<readonly string[]> {
  const ids = new Set(nodes.map(({ clusterId }) => clusterId));
  const clusters = (await clustersOf(self)).filter(({ id }) => ids.has(id));
  return clusters.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
}

/** All of them, living, in the order they were named. */
async function mergeable(self: Seen, ids: readonly string[]): Promise<Node[]> {
  const byId = new Map((await nodesByIds(self, ids)).map((node) => [node.id, node]));
  const nodes = ids.map((id) => {
    const node = byId.get(id);
    if (!node) throw notFound('memory', id);
    return node;
  });
  const gone = nodes.find((node) => !isShown(node));
  if (gone)
    throw new HubError('conflict', `${gone.id} was merged before, into ${gone.replacedBy}`, { id: gone.id });
  return nodes;
}
