// Which of a stack may land: its last tree is proven first; when that fails, prefixes of it.
import type { CheckDefinition, ChecksDefinition } from '../checks/definition.ts';
import { newId } from '../../../kernel/ids.ts';
import type { LandSettings } from '../../../kernel/land-settings.ts';
import type { Prover } from '../checks/prove.ts';
import { inRepository } from '../repository.ts';
import type { Intent, Queue, StoredEvidence, StoredLanding } from '../rows.ts';
import { longestPassing } from '../rules.ts';
import { type LandCandidate, stack, type Stacked } from './stack.ts';

export type Ready = Extract<Stacked, { kind: 'stacked' }>;

/** Commits name the evidence that proves them, so the ids of that are chosen before they are made. */
export type EvidenceIds = ReadonlyMap<string, string>;

export type Testing = Readonly<{
  queue: Queue;
  /** Where the target is here. */
  tip: string;
  /** What the stack stands on: that, or where the target is already where it is pushed. */
  onto: string;
  push: Intent['push'];
  definition: ChecksDefinition;
  ready: readonly Ready[];
  ids: EvidenceIds;
  waiting: readonly StoredLanding[];
  settings: LandSettings;
  signal: AbortSignal;
}>;

export function newEvidenceIds({ checks }: ChecksDefinition): EvidenceIds {
  return new Map(checks.filter(({ required }) => required).map(({ name }) => [name, newId()]));
}

type Stacking = Pick<Testing, 'queue' | 'onto' | 'ids' | 'settings'>;

export function stackUp(
  { queue, onto, ids, settings }: Stacking,
  waiting: readonly StoredLanding[],
): Promise<Stacked[]> {
  const candidates = waiting.map((landing) => candidateOf(landing, ids));
  return inRepository(queue.repository, (git) =>
    stack(git, { tip: onto, target: queue.target, how: settings.how, candidates }),
  );
}

export const isReady = (each: Stacked): each is Ready => each.kind === 'stacked';

function candidateOf(
  { id, branch, head, title, taskId, runId }: StoredLanding,
  ids: EvidenceIds,
): LandCandidate {
  const run = runId === null ? [] : [`Holdfast-Run: ${runId}`];
  const evidence = [...ids.values()].map((each) => `Holdfast-Evidence: ${each}`);
  return { id, branch, head, title, trailers: [`Holdfast-Task: ${taskId}`, ...run, ...evidence] };
}

/** A prefix of the stack as it would land, and what was found on its last tree. */
type Proven = Readonly<{ ready: readonly Ready[]; evidence: readonly StoredEvidence[] }>;

export type StackVerdict =
  | Readonly<{ kind: 'target fails' }>
  | Readonly<{ kind: 'judged'; lands: Proven; culprit: (Proven & Readonly<{ id: string }>) | undefined }>;

/** The first prefix that fails names the culprit, and what is before it lands. */
export async function judge(prover: Prover, testing: Testing): Promise<StackVerdict> {
  const { ready } = testing;
  const tried = new Map<number, Proven>([[0, { ready: [], evidence: [] }]]);
  const passes = async (length: number): Promise<boolean> => {
    const proven = await provePrefix(prover, testing, length);
    tried.set(length, proven);
    return proven.evidence.every(({ passed }) => passed);
  };
  const good = await longestPassing(ready.length, passes);
  // Who is blamed for what the target itself does not pass would look for it in vain.
  if (good === 0 && !(await passes(0))) return { kind: 'target fails' };
  const lands = good === 0 ? { ready: [], evidence: [] } : tried.get(good)!;
  const culprit = good < ready.length ? { ...tried.get(good + 1)!, id: ready[good]!.id } : undefined;
  return { kind: 'judged', lands, culprit };
}

async function provePrefix(prover: Prover, testing: Testing, length: number): Promise<Proven> {
  const { ready, ids, onto } = testing;
  if (length === 0) return { ready: [], evidence: await proveAll(prover, testing, { commit: onto }) };
  if (length === ready.length)
    return { ready, evidence: await proveAll(prover, testing, { ...ready.at(-1)!, ids }) };
  // The same trees in commits that name the evidence of this proof.
  const own = newEvidenceIds(testing.definition);
  const wanted = new Set(ready.slice(0, length).map(({ id }) => id));
  const again = (
    await stackUp(
      { ...testing, ids: own },
      testing.waiting.filter(({ id }) => wanted.has(id)),
    )
  ).filter(isReady);
  const { commit, tree } = again.at(-1)!;
  return { ready: again, evidence: await proveAll(prover, testing, { commit, tree, ids: own }) };
}

type Proving = Readonly<{ commit: string; tree?: string; ids?: EvidenceIds }>;

async function proveAll(
  prover: Prover,
  testing: Testing,
  { commit, tree, ids }: Proving,
): Promise<StoredEvidence[]> {
  const { queue, onto, definition, settings, signal, waiting } = testing;
  const given: StoredEvidence[] = [];
  for (const check of definition.checks.filter(({ required }) => required)) {
    const one = await prover.prove({
      id: ids?.get(check.name),
      project: queue.project,
      repository: queue.repository,
      commit,
      tree,
      target: onto,
      check,
      isUnconfinedAllowed: settings.unconfined,
      ownSetup: commit === onto ? undefined : ownSetupOf(check, waiting),
      signal,
    });
    given.push(one);
    if (!one.passed) break;
  }
  return given;
}

/** Candidates that change what a set-up is made from are tested alone, with one of their own. */
function ownSetupOf({ setup }: CheckDefinition, waiting: readonly StoredLanding[]): string | undefined {
  const [only] = waiting;
  return setup && waiting.length === 1 && only!.protected.some((path) => setup.key.includes(path))
    ? only!.id
    : undefined;
}
