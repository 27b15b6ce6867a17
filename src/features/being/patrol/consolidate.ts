import { sameTextKey } from '../../../kernel/same-text.ts';
import { keptApart } from '../apart.ts';
import { recentre } from '../centres.ts';
import { absorb } from '../merges.ts';
import { clearFresh, freshNodes, type Node, nodesByIds, nodesOfCluster, setStatus } from '../rows/nodes.ts';
import type { Seen } from '../rows/whose.ts';
import { instruct, mergesAnswer, type MergesAnswer, readAnswer } from './answers.ts';
import type { AskModel } from '../../../kernel/language-model.ts';
import type { Finish, PatrolWork } from './work.ts';

/** Memories of a cluster that new ones are compared with, and that a model is shown. */
const COMPARED = 1_000;
const SHOWN = 60;

/**
 * New memories meet those of their cluster: the same thing said twice becomes one memory. Without a model that is only
 * what is the same word for word; of two that disagree both stay. What somebody took apart is never merged again.
 */
export async function consolidate(work: PatrolWork): Promise<Finish> {
  const fresh = await work.read(freshNodes);
  const clusters = [...new Set(fresh.map(({ clusterId }) => clusterId))];
  for (const cluster of clusters) await mergeDuplicates(work, cluster);
  const problems = work.ask ? await refine(work, clusters, work.ask) : 0;
  return async (self) => {
    for (const cluster of clusters) await recentre(self, cluster, work.model);
    await clearFresh(self);
    return { model_problems: problems };
  };
}

/** The newest of those that say the same takes in the others. */
async function mergeDuplicates(work: PatrolWork, cluster: string): Promise<void> {
  const { runId } = work;
  const members = await work.read((self) => nodesOfCluster(self, cluster, { limit: COMPARED }));
  const active = members.filter(({ status }) => status === 'active').sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const [, same] of Map.groupBy(active, saidBy)) {
    if (same.length < 2 || !same.some(({ isFresh }) => isFresh)) continue;
    await work.write(async (self) => {
      // Somebody may have merged one of them since they were read, or taken a merge back.
      const apart = await keptApart(self);
      const [survivor, ...others] = await stillActive(self, same);
      const absorbed = survivor ? apart.besides(survivor, alsoSaying(survivor, others)) : [];
      if (!survivor || absorbed.length === 0) return { value: undefined };
      await absorb(self, { survivor, absorbed, runId });
      return { value: undefined, stats: { merged: absorbed.length } };
    });
  }
}

async function stillActive(self: Seen, nodes: readonly Node[]): Promise<readonly Node[]> {
  const ids = nodes.map(({ id }) => id);
  const found = new Map((await nodesByIds(self, ids)).map((node) => [node.id, node]));
  return ids.flatMap((id) => found.get(id) ?? []).filter(({ status }) => status === 'active');
}

/** What a memory says, and of whom. When it was does not count: the same on two days is one memory with both dates. */
function saidBy({ action, scene }: Node): string {
  const actors = [...new Set(scene.actors.map(sameTextKey))].sort();
  return JSON.stringify([sameTextKey(action), actors]);
}

/** Of those, the ones that do not say that it felt otherwise, or was somewhere else. Nothing said is nothing against it. */
function alsoSaying(survivor: Node, others: readonly Node[]): readonly Node[] {
  const told = { felt: keyOf(survivor.feeling), where: keyOf(survivor.scene.setting) };
  return others.filter(({ feeling, scene }) => {
    const [felt, where] = [keyOf(feeling), keyOf(scene.setting)];
    if ((felt && told.felt && felt !== told.felt) || (where && told.where && where !== told.where))
      return false;
    told.felt ||= felt;
    told.where ||= where;
    return true;
  });
}

function keyOf(text: string | null | undefined): string {
  return text ? sameTextKey(text) : '';
}

const TASK = [
  'These are memories of one cluster. Name groups that tell of the same event or the same lasting fact, to be merged:',
  'every memory that goes into a group by its id, the survivor and all it absorbs. Memories that contradict each other',
  'are never merged. Prefer a fresh memory as survivor. Under make_dead name dying memories that are worth nothing any',
  'more.',
].join(' ');
const SHAPE =
  '{"merges":[{"survivor":"<id>","absorbed":["<id>"],"merged_action":"…","merged_feeling":"…"}],"make_dead":["<id>"]}';

/** A cluster whose answer cannot be used stays as it is. Answers how many did. */
async function refine(work: PatrolWork, clusters: readonly string[], ask: AskModel): Promise<number> {
  let problems = 0;
  for (const cluster of clusters) {
    const members = await work.read((self) => nodesOfCluster(self, cluster, { limit: SHOWN }));
    const shown = members.filter(({ status }) => status !== 'dead');
    if (shown.length < 2) continue;
    try {
      const answer = await ask(instruct(TASK, SHAPE), JSON.stringify(shown.map(forModel)), work.signal);
      await apply(work, shown, readAnswer(mergesAnswer, answer));
    } catch (error) {
      if (work.signal.aborted) throw error;
      problems += 1;
    }
  }
  return problems;
}

export function forModel({
  id,
  action,
  scene,
  feeling,
  themes,
  importance,
  status,
  isFresh,
}: Node): Record<string, unknown> {
  return {
    id,
    action,
    actors: scene.actors,
    when: scene.when,
    feeling,
    themes,
    importance,
    status,
    fresh: isFresh,
  };
}

/** Only what was shown counts, and nothing counts twice. */
async function apply(
  work: PatrolWork,
  shown: readonly Node[],
  { merges, make_dead }: MergesAnswer,
): Promise<void> {
  const { runId } = work;
  const known = new Set(shown.map(({ id }) => id));
  const used = new Set<string>();
  for (const { survivor, absorbed, merged_action, merged_feeling } of merges) {
    const ids = [survivor, ...absorbed];
    const isSound = new Set(ids).size === ids.length && ids.every((id) => known.has(id) && !used.has(id));
    if (!isSound) continue;
    for (const id of ids) used.add(id);
    await work.write(async (self) => {
      const nodes = new Map((await nodesByIds(self, ids)).map((node) => [node.id, node]));
      const [first, ...rest] = ids.map((id) => nodes.get(id));
      if (!first || rest.some((node) => !node || node.status === 'dead') || first.status === 'dead')
        return { value: undefined };
      const apart = await keptApart(self);
      if (apart.besides(first, rest as Node[]).length < rest.length) return { value: undefined };
      await absorb(self, {
        survivor: first,
        absorbed: rest as Node[],
        action: merged_action,
        feeling: merged_feeling,
        runId,
      });
      return { value: undefined, stats: { merged: rest.length } };
    });
  }
  const resting = shown.filter(
    ({ id, status, isPinned }) => status === 'dying' && !isPinned && !used.has(id) && make_dead.includes(id),
  );
  await work.write(async (self) => ({
    value: undefined,
    stats: { rested: await setStatus(self, resting, { status: 'dead', reason: 'decayed' }) },
  }));
}
