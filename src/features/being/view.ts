// What can be seen of one Being, by its owner and by itself. Looking keeps nothing alive.
import { isSealedTarget } from './documents.ts';
import { requireBeing } from './parts.ts';
import { type BeingRow } from './rows/beings.ts';
import { clusterSizes, clustersOf } from './rows/clusters.ts';
import { docsOf } from './rows/docs.ts';
import { capabilitiesOf, type CapabilityRow } from './rows/messages.ts';
import { countNodes, type Node, nodesToShow } from './rows/nodes.ts';
import { countWaitingScenes } from './rows/notes.ts';
import { pastOf } from './rows/past.ts';
import { lastMerges, lastRuns, stepsOf } from './rows/runs.ts';
import type { Seen } from './rows/whose.ts';
import { effectiveImportance, LIMITS, THOUGHTS, THRESHOLDS } from './rules.ts';

const MOST_NODES = 2_000;
const MOST_PAST = 200;
const MERGES = 50;
const RUNS = 5;

export function presentBeing({ id, owner, name, llmKey, createdAt, updatedAt }: BeingRow) {
  return { id, owner, name, hasLlmKey: llmKey !== null, createdAt, updatedAt };
}

export async function showBeing(self: Seen) {
  const row = await requireBeing(self);
  return {
    ...presentBeing(row),
    memories: await countNodes(self),
    clusters: (await clustersOf(self)).length,
    waitingScenes: await countWaitingScenes(self),
    marker: row.marker,
  };
}

export async function showSoul(self: Seen) {
  const { name } = await requireBeing(self);
  const docs = (await docsOf(self, 'soul')).filter(({ key }) => key !== THOUGHTS);
  return { name, soul: Object.fromEntries(docs.map(({ key, content }) => [key, content])) };
}

export async function showClusters(self: Seen) {
  await requireBeing(self);
  const sizes = new Map((await clusterSizes(self)).map((size) => [size.id, size]));
  return (await clustersOf(self)).map(({ id, name, digest, parentId }) => {
    const { active, total } = sizes.get(id) ?? { active: 0, total: 0 };
    return { id, name, digest, parentId, active, total };
  });
}

export async function showMap(self: Seen) {
  await requireBeing(self);
  const clusters = await clustersOf(self);
  const nodes = await nodesToShow(self, MOST_NODES + 1);
  return {
    dyingAt: THRESHOLDS.dying,
    clusters: clusters.map(({ id, name, digest, parentId }) => ({ id, name, digest, parentId })),
    nodes: nodes.slice(0, MOST_NODES).map(onMap),
    left: nodes.length > MOST_NODES,
  };
}

const MOST_TEXT = 600;

function onMap(node: Node) {
  const { id, clusterId, action, feeling, themes, importance, status, isPinned } = node;
  const { cycles, reactivations, lastActivated, createdAt } = node;
  return {
    id,
    clusterId,
    feeling,
    importance,
    status,
    isPinned,
    cycles,
    reactivations,
    lastActivated,
    createdAt,
    text: action.slice(0, MOST_TEXT).toWellFormed(),
    themes: [...themes],
    strength: Math.round(effectiveImportance(node) * 1_000) / 1_000,
  };
}

export async function showDocuments(self: Seen) {
  await requireBeing(self);
  return (await docsOf(self))
    .filter(({ target }) => target !== 'soul')
    .map(({ target, key, content, meta, updatedAt }) => ({
      target,
      key: titleOf(meta) ?? key,
      // Sealed for its partner alone: that it is there may be known, what it says may not.
      content: isSealedTarget(target) ? null : content.slice(0, LIMITS.answer),
      updatedAt,
    }));
}

function titleOf(meta: string | null): string | undefined {
  const { title } = JSON.parse(meta ?? '{}') as { title?: unknown };
  return typeof title === 'string' ? title : undefined;
}

type WhichPast = Readonly<{ target?: string | undefined; key?: string | undefined }>;

export async function showPast(self: Seen, { target, key }: WhichPast) {
  await requireBeing(self);
  const asked = { ...(target !== undefined && { target }), ...(key !== undefined && { name: key }) };
  return (await pastOf(self, { ...asked, limit: MOST_PAST })).map((past) => ({
    target: past.target,
    key: past.name,
    content: isSealedTarget(past.target) ? null : past.content.slice(0, LIMITS.answer).toWellFormed(),
    location: past.location,
    replacedAt: past.at,
  }));
}

export async function showMerges(self: Seen) {
  return (await lastMerges(self, MERGES)).map(({ id, survivor, absorbed, at, undoneAt }) => ({
    id,
    survivor,
    absorbed: [...absorbed],
    at,
    undone: undoneAt !== null,
  }));
}

export async function showPatrols(self: Seen) {
  const { marker, runId } = await requireBeing(self);
  const runs = [];
  for (const { id, state, startedAt, endedAt, stats } of await lastRuns(self, RUNS)) {
    const steps = (await stepsOf(self, id)).map(({ step, outcome, details }) => ({
      step,
      outcome,
      ...details,
    }));
    runs.push({ id, state, startedAt, endedAt, stats, steps });
  }
  return { marker, unfinished: runId !== null, runs };
}

export async function showCapabilities(self: Seen, now: number) {
  await requireBeing(self);
  return (await capabilitiesOf(self, now)).map(presentCapability);
}

function presentCapability({ id, bridge, type, name, description, seenUntil }: CapabilityRow) {
  return { id, bridge, type, name, description, onlineUntil: seenUntil };
}
