// One round of a queue: take, stack, prove, move. What is written down before the ref moves is enough to go on after a crash.
import { HubError } from '../../kernel/errors.ts';
import { type Git, withGit } from '../../kernel/git/git.ts';
import { findCommit, isAncestor } from '../../kernel/git/merge.ts';
import { checkoutOf } from '../../kernel/git/repository.ts';
import { newId } from '../../kernel/ids.ts';
import { type LandSettings, landSettingsOf } from '../../kernel/land-settings.ts';
import { excerpt } from '../../kernel/redact.ts';
import type { CheckDefinition, Definition } from './definition.ts';
import type { Books } from './books.ts';
import type { Prover } from './prove.ts';
import type { Intent, Queue, StoredEvidence, StoredLanding } from './rows.ts';
import { longestPassing } from './rules.ts';
import { type Candidate, stack, type Stacked } from './stack.ts';
import { holdsBack, moveTarget, tipOf } from './target.ts';
import { definitionAt } from './definition-at.ts';

export type RoundParts = Readonly<{
  books: Books;
  prover: Prover;
  land: Readonly<Record<string, LandSettings>>;
}>;

/** What became of the queue: whether there is more to do at once. */
export type Round = 'again' | 'idle';

type Ready = Extract<Stacked, { kind: 'stacked' }>;

export async function doRound(parts: RoundParts, queue: Queue, signal: AbortSignal): Promise<Round> {
  const { books } = parts;
  if (queue.intent) {
    await goOn(parts, queue, queue.intent);
    return 'again';
  }
  if (queue.paused) return 'idle';
  const settings = landSettingsOf(parts.land, queue.project);
  const waiting = await books.take(queue, settings.batch);
  if (waiting.length === 0) return 'idle';
  const tip = await tipOf(queue);
  if (tip === undefined) return hold(books, waiting, `There is no branch ${queue.target} with a commit.`);
  const back = await holdsBack(queue);
  if (back !== undefined) return hold(books, waiting, back);
  const definition = await definitionAt(queue.repository, tip).catch(asReason);
  if (typeof definition === 'string') return hold(books, waiting, definition);
  const stacked = await stackUp(queue, { tip, waiting, settings });
  if (await bookConflicts(parts, waiting, stacked)) return 'again';
  const ready = stacked.filter((each): each is Ready => each.kind === 'stacked');
  if (ready.length === 0) return 'idle';
  const batch = newId();
  await books.testing(waiting, { ready: ready.map(({ id }) => id), batch });
  return test(parts, { queue, tip, definition, ready, waiting, settings, signal });
}

type Testing = Readonly<{
  queue: Queue;
  tip: string;
  definition: Definition;
  ready: readonly Ready[];
  waiting: readonly StoredLanding[];
  settings: LandSettings;
  signal: AbortSignal;
}>;

/** The last tree first; when it fails, the first prefix that fails names the culprit, and what is before it lands. */
async function test(parts: RoundParts, testing: Testing): Promise<Round> {
  const { books } = parts;
  const { ready, tip } = testing;
  const found = new Map<number, readonly StoredEvidence[]>();
  const passes = async (length: number): Promise<boolean> => {
    const commit = length === 0 ? tip : ready[length - 1]!.commit;
    const given = await proveAll(parts, testing, commit);
    found.set(length, given);
    return given.every(({ passed }) => passed);
  };
  let good: number;
  try {
    good = (await passes(ready.length)) ? ready.length : await longestPassing(ready.length, passes);
    // Who is blamed for what the target itself does not pass would look for it in vain.
    if (good === 0 && !(await passes(0)))
      return await hold(books, testing.waiting, `${testing.queue.target} itself fails its checks.`);
  } catch (error) {
    testing.signal.throwIfAborted();
    return hold(books, testing.waiting, asReason(error));
  }
  if (good < ready.length) {
    const culprit = ready[good]!;
    await books.failed(culprit.id, { evidence: found.get(good + 1) ?? [], commit: culprit.commit });
    await books.again(ready.slice(good + 1).map(({ id }) => id));
  }
  if (good === 0) return 'again';
  const proof = (found.get(good) ?? []).map(({ id }) => id);
  const landings = ready
    .slice(0, good)
    .map(({ id, commit, tree }) => ({ id, commit, tree, evidence: proof }));
  return land(parts, testing.queue, { from: tip, to: landings.at(-1)!.commit, landings });
}

async function proveAll({ prover }: RoundParts, testing: Testing, commit: string): Promise<StoredEvidence[]> {
  const { queue, tip, definition, settings, signal, waiting } = testing;
  const given: StoredEvidence[] = [];
  for (const check of definition.checks.filter(({ required }) => required)) {
    const one = await prover.prove({
      project: queue.project,
      repository: queue.repository,
      commit,
      target: tip,
      check,
      isUnconfinedAllowed: settings.unconfined,
      ownSetup: ownSetupOf(check, waiting),
      mayReuse: true,
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

/** The intent is on disk before the ref moves, and struck out with the books: whoever comes next finds one of the two. */
async function land(parts: RoundParts, queue: Queue, intent: Intent): Promise<Round> {
  await parts.books.intend(queue, intent);
  await goOn(parts, queue, intent);
  return 'again';
}

async function goOn({ books }: RoundParts, queue: Queue, intent: Intent): Promise<void> {
  const { from, to } = intent;
  const tip = await tipOf(queue);
  if (tip !== undefined && tip !== from && (await isIn(queue, to, tip))) return books.landed(queue, intent);
  if (tip !== from) return books.giveUp(queue, intent, 'the target was moved by somebody else');
  try {
    if (await moveTarget(queue, { from, to, about: `landing: ${intent.landings.length} by Holdfast` }))
      return await books.landed(queue, intent);
    return await books.giveUp(queue, intent, 'the target was moved by somebody else');
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    return books.giveUp(queue, intent, error.message, 'held');
  }
}

async function isIn({ repository }: Queue, commit: string, tip: string): Promise<boolean> {
  const place = await checkoutOf(repository);
  return withGit({ place }, async (git) => (await isKnown(git, commit)) && isAncestor(git, commit, tip));
}

const isKnown = async (git: Git, commit: string): Promise<boolean> =>
  (await findCommit(git, commit)) !== undefined;

type Stacking = Readonly<{ tip: string; waiting: readonly StoredLanding[]; settings: LandSettings }>;

async function stackUp(queue: Queue, { tip, waiting, settings }: Stacking): Promise<Stacked[]> {
  const place = await checkoutOf(queue.repository);
  const candidates = waiting.map(candidateOf);
  return withGit({ place }, (git) =>
    stack(git, { tip, target: queue.target, how: settings.how, candidates }),
  );
}

function candidateOf({ id, branch, head, title, taskId, runId }: StoredLanding): Candidate {
  const run = runId === null ? [] : [`Holdfast-Run: ${runId}`];
  return {
    id,
    branch,
    head,
    title,
    trailers: [`Holdfast-Task: ${taskId}`, ...run, `Holdfast-Evidence: ${id}`],
  };
}

/** Whoever conflicts with the tip goes back; answers whether the stack has to be made anew. */
async function bookConflicts(
  { books }: RoundParts,
  waiting: readonly StoredLanding[],
  stacked: readonly Stacked[],
): Promise<boolean> {
  let isNew = false;
  for (const each of stacked) {
    const landing = waiting.find(({ id }) => id === each.id)!;
    if (each.kind === 'empty') await books.alreadyIn(landing);
    if (each.kind === 'conflict' && each.with === 'tip') await books.conflict(landing, each.files);
    isNew ||= each.kind === 'empty' || (each.kind === 'conflict' && each.with === 'tip');
  }
  return isNew;
}

async function hold(books: Books, waiting: readonly StoredLanding[], why: string): Promise<Round> {
  await books.hold(waiting, excerpt(why, 1_000));
  return 'idle';
}

function asReason(error: unknown): string {
  if (error instanceof HubError) return error.message;
  throw error;
}
