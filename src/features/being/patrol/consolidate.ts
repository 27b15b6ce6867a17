import { overlap } from '../../../recall/recall.ts';
import type { Query } from '../../../store/database.ts';
import { cosine, recentre } from '../centres.ts';
import { absorb } from '../merging.ts';
import { termsOf } from '../recalling.ts';
import { clearFresh, freshNodes, type Node, nodesByIds, nodesOfCluster, setStatus } from '../rows/nodes.ts';
import { THRESHOLDS } from '../rules.ts';
import { instruct, mergesAnswer, type MergesAnswer, readAnswer } from './answers.ts';
import type { AskModel } from './model.ts';
import { type Finish, type PatrolWork, vectorsOf } from './work.ts';

/** Memories of a cluster that new ones are compared with, and that a model is shown. */
const COMPARED = 1_000;
const SHOWN = 60;

/** New memories meet those of their cluster: the same thing said twice becomes one memory. A model may see more. */
export async function consolidate(work: PatrolWork): Promise<Finish> {
  const fresh = await work.read((q) => freshNodes(q, work.being));
  const clusters = [...new Set(fresh.map(({ clusterId }) => clusterId))];
  for (const cluster of clusters) await mergeDuplicates(work, cluster);
  const problems = work.ask ? await refine(work, clusters, work.ask) : 0;
  return async (tx) => {
    for (const cluster of clusters)
      await recentre(tx, work.recalling, work.being, { cluster, model: work.model });
    await clearFresh(tx, work.being);
    return { model_problems: problems };
  };
}

async function mergeDuplicates(work: PatrolWork, cluster: string): Promise<void> {
  const { being, recalling, runId } = work;
  const members = (await work.read((q) => nodesOfCluster(q, being, cluster, { limit: COMPARED }))).filter(
    ({ status }) => status === 'active',
  );
  const isSame = await sameness(work, members);
  const gone = new Set<string>();
  for (const fresh of members.filter(({ isFresh }) => isFresh)) {
    if (gone.has(fresh.id)) continue;
    const same = members.filter(
      (other) => other.id !== fresh.id && !gone.has(other.id) && isSame(fresh, other),
    );
    if (same.length === 0) continue;
    for (const { id } of same) gone.add(id);
    await work.write(async (tx) => {
      // Somebody may have merged one of them since they were read.
      const [survivor, ...absorbed] = await stillActive(tx, being, [fresh, ...same]);
      if (!survivor || survivor.id !== fresh.id || absorbed.length === 0) return { value: undefined };
      await absorb(tx, recalling, being, { survivor, absorbed, runId });
      return { value: undefined, stats: { merged: absorbed.length } };
    });
  }
}

async function stillActive(q: Query, being: string, nodes: readonly Node[]): Promise<readonly Node[]> {
  const ids = nodes.map(({ id }) => id);
  const found = new Map((await nodesByIds(q, being, ids)).map((node) => [node.id, node]));
  return ids.flatMap((id) => found.get(id) ?? []).filter(({ status }) => status === 'active');
}

/** The same actors, the same numbers, and nearly the same words or meaning. */
async function sameness(work: PatrolWork, nodes: readonly Node[]): Promise<(a: Node, b: Node) => boolean> {
  const numbers = nodes.map(({ number }) => number);
  const vectors = await vectorsOf(work, numbers);
  const forms = new Map(
    nodes.map((node) => [node.id, { who: whoOf(node), figures: figuresOf(node), words: wordsOf(node) }]),
  );
  return (a, b) => {
    const [one, other] = [forms.get(a.id)!, forms.get(b.id)!];
    if (one.who !== other.who || one.figures !== other.figures) return false;
    const [near, far] = [vectors.get(a.number), vectors.get(b.number)];
    if (near && far && cosine(near, far) >= THRESHOLDS.sameMeaning) return true;
    return overlap(one.words, other.words) >= THRESHOLDS.sameWords;
  };
}

function whoOf({ scene }: Node): string {
  return JSON.stringify([...new Set(scene.actors.map((actor) => actor.toLowerCase()))].sort());
}

/** "Fixed bug 12" and "fixed bug 13" differ in what matters. */
function figuresOf({ action }: Node): string {
  return (action.match(/\d+/g) ?? []).join(' ');
}

function wordsOf({ action, feeling }: Node): ReadonlySet<string> {
  return new Set(termsOf({ action, feeling, themes: [], scene: { actors: [], when: [] } }));
}

const TASK =
  'These are memories of one cluster. Name groups that tell of the same event or the same lasting fact, to be merged. Prefer a fresh memory as survivor. Under make_dead name dying memories that are worth nothing any more.';
const SHAPE =
  '{"merges":[{"survivor":"<id>","absorbed":["<id>"],"merged_action":"…","merged_feeling":"…"}],"make_dead":["<id>"]}';

/** A cluster whose answer cannot be used stays as it is. Answers how many did. */
async function refine(work: PatrolWork, clusters: readonly string[], ask: AskModel): Promise<number> {
  let problems = 0;
  for (const cluster of clusters) {
    const members = await work.read((q) => nodesOfCluster(q, work.being, cluster, { limit: SHOWN }));
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
  const { being, recalling, runId } = work;
  const known = new Set(shown.map(({ id }) => id));
  const used = new Set<string>();
  for (const { survivor, absorbed, merged_action, merged_feeling } of merges) {
    const ids = [survivor, ...absorbed];
    const isSound = new Set(ids).size === ids.length && ids.every((id) => known.has(id) && !used.has(id));
    if (!isSound) continue;
    for (const id of ids) used.add(id);
    await work.write(async (tx) => {
      const nodes = new Map((await nodesByIds(tx, being, ids)).map((node) => [node.id, node]));
      const [first, ...rest] = ids.map((id) => nodes.get(id));
      if (!first || rest.some((node) => !node || node.status === 'dead') || first.status === 'dead')
        return { value: undefined };
      await absorb(tx, recalling, being, {
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
  await work.write(async (tx) => ({
    value: undefined,
    stats: {
      rested: await setStatus(
        tx,
        being,
        resting.map(({ id }) => id),
        { status: 'dead', reason: 'decayed' },
      ),
    },
  }));
}
