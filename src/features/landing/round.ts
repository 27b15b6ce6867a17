// One round of a queue: take, stack, prove, move. What is written down before the ref moves is enough to go on after a crash.
import { HubError } from '../../kernel/errors.ts';
import type { Git } from '../../kernel/git/git.ts';
import { findCommit, isAncestor } from '../../kernel/git/merge.ts';
import { newId } from '../../kernel/ids.ts';
import { type LandSettings, landSettingsOf } from '../../kernel/land-settings.ts';
import { excerpt } from '../../kernel/redact.ts';
import type { Books } from './books.ts';
import { tellConflict } from './conflicts.ts';
import type { CheckDefinition, ChecksDefinition } from './definition.ts';
import { definitionAt } from './definition-at.ts';
import type { Prover } from './prove.ts';
import { branchAt, changedBetween, inRepository } from './repository.ts';
import type { Intent, Queue, StoredEvidence, StoredLanding } from './rows.ts';
import { guardedAmong, longestPassing, together } from './rules.ts';
import { type LandCandidate, stack, type Stacked } from './stack.ts';
import type { Stuck } from './stuck.ts';
import { holdsBack, moveTarget, takeFilesAlong, tipOf } from './target.ts';

export type RoundParts = Readonly<{
  books: Books;
  prover: Prover;
  land: Readonly<Record<string, LandSettings>>;
  /** This hub, as the lease of a queue knows it. */
  holder: string;
  stuck: Stuck;
}>;

/** What became of the queue: whether there is more to do at once. */
type Round = 'again' | 'idle';

type Ready = Extract<Stacked, { kind: 'stacked' }>;

export async function doRound(parts: RoundParts, queue: Queue, signal: AbortSignal): Promise<Round> {
  const { books, stuck } = parts;
  if (queue.intent) {
    await goOn(parts, queue, queue.intent);
    return 'again';
  }
  if (queue.paused) return 'idle';
  const settings = landSettingsOf(parts.land, queue.project);
  const taken = await books.take(queue, settings.batch);
  if (taken.length === 0) return 'idle';
  const tip = await tipOf(queue);
  if (tip === undefined) return hold(books, taken, `There is no branch ${queue.target} with a commit.`);
  if (await lookAgain(parts, queue, { tip, waiting: taken, settings })) return 'again';
  const back = await holdsBack(queue);
  if (back !== undefined) return hold(books, taken, back);
  const definition = await definitionAt(queue.repository, tip).catch(asReason);
  if (typeof definition === 'string') return hold(books, taken, definition);
  const waiting = together(taken, definition);
  if (stuck.isStill(queue, tip, waiting)) return 'idle';
  const stacked = await stackUp(queue, { tip, waiting, settings });
  if (await bookConflicts(parts, queue, { tip, waiting, stacked })) return 'again';
  const ready = stacked.filter((each): each is Ready => each.kind === 'stacked');
  if (ready.length === 0) return 'idle';
  const testing = { queue, tip, definition, ready, waiting, settings, signal };
  if (await bookGuarded(parts, testing)) return 'again';
  await books.testing(waiting, { ready: ready.map(({ id }) => id), batch: newId() });
  return test(parts, testing);
}

type Taken = Readonly<{ tip: string; waiting: readonly StoredLanding[]; settings: LandSettings }>;

/** Branches move, and tasks are given up, while they wait. Answers whether anything is not what it was. */
async function lookAgain({ books }: RoundParts, queue: Queue, { tip, waiting, settings }: Taken) {
  const unwanted = await books.unwanted(waiting);
  for (const landing of unwanted) await books.withdraw(landing, 'its task was cancelled');
  const moved = await inRepository(queue.repository, (git) => movedAmong(git, waiting, tip));
  for (const { landing, head } of moved) {
    if (head === undefined) await books.withdraw(landing, `there is no branch ${landing.branch} any more`);
    else if (settings.approve === 'checks' && landing.protected.length === 0)
      await books.follow(landing, head);
    else await books.waitFor(landing, { why: 'its branch moved after it was asked for', head });
  }
  return unwanted.length + moved.length > 0;
}

type Moved = Readonly<{ landing: StoredLanding; head: string | undefined }>;

/** What is in the target already has landed, whatever became of its branch. */
async function movedAmong(git: Git, waiting: readonly StoredLanding[], tip: string): Promise<Moved[]> {
  const moved: Moved[] = [];
  for (const landing of waiting) {
    const head = await branchAt(git, landing.branch);
    if (head === landing.head) continue;
    if (head === undefined && (await isAncestor(git, landing.head, tip))) continue;
    moved.push({ landing, head });
  }
  return moved;
}

type Testing = Readonly<{
  queue: Queue;
  tip: string;
  definition: ChecksDefinition;
  ready: readonly Ready[];
  waiting: readonly StoredLanding[];
  settings: LandSettings;
  signal: AbortSignal;
}>;

/** What a landing really changes, by its result: paths that no person has seen wait for one. */
async function bookGuarded({ books }: RoundParts, testing: Testing): Promise<boolean> {
  const { queue, tip, definition, ready, waiting, settings } = testing;
  const found = await inRepository(queue.repository, async (git) => {
    let before = tip;
    const unseen: Readonly<{ landing: StoredLanding; paths: string[] }>[] = [];
    for (const { id, commit } of ready) {
      const landing = waiting.find((each) => each.id === id)!;
      const paths = guardedAmong(await changedBetween(git, before, commit), { definition, settings });
      before = commit;
      if (landing.approvedBy === null ? paths.length > 0 : paths.some((path) => !isSeen(landing, path)))
        unseen.push({ landing, paths });
    }
    return unseen;
  });
  for (const { landing, paths } of found)
    await books.waitFor(landing, { why: whyGuarded(paths), protected: paths });
  return found.length > 0;
}

const isSeen = (landing: StoredLanding, path: string): boolean => landing.protected.includes(path);

export function whyGuarded(paths: readonly string[]): string {
  return `it changes what only a person lets through: ${paths.slice(0, 5).join(', ')}`;
}

/** The last tree first; when it fails, the first prefix that fails names the culprit, and what is before it lands. */
async function test(parts: RoundParts, testing: Testing): Promise<Round> {
  const { books } = parts;
  const { ready, tip, waiting } = testing;
  const found = new Map<number, readonly StoredEvidence[]>();
  const passes = async (length: number): Promise<boolean> => {
    const commit = length === 0 ? tip : ready[length - 1]!.commit;
    const given = await proveAll(parts, testing, commit);
    found.set(length, given);
    return given.every(({ passed }) => passed);
  };
  let good: number;
  try {
    good = await longestPassing(ready.length, passes);
    // Who is blamed for what the target itself does not pass would look for it in vain.
    if (good === 0 && !(await passes(0)))
      return await holdStuck(parts, testing, `${testing.queue.target} itself fails its checks.`);
  } catch (error) {
    testing.signal.throwIfAborted();
    return holdStuck(parts, testing, asReason(error));
  }
  if (good < ready.length) {
    const culprit = ready[good]!;
    await books.failed(culprit.id, { evidence: found.get(good + 1) ?? [], commit: culprit.commit });
    await books.again(ready.slice(good + 1).map(({ id }) => id));
  }
  if (good === 0) return 'again';
  const proof = (found.get(good) ?? []).map(({ id }) => id);
  const landings = ready.slice(0, good).map(({ id, commit, tree }) => {
    const { head } = waiting.find((each) => each.id === id)!;
    return { id, head, commit, tree, evidence: proof };
  });
  return land(parts, testing, { from: tip, to: landings.at(-1)!.commit, landings });
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
      ownSetup: commit === tip ? undefined : ownSetupOf(check, waiting),
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
async function land(parts: RoundParts, { queue, tip, waiting }: Testing, intent: Intent): Promise<Round> {
  const landing = waiting.filter(({ id }) => intent.landings.some((each) => each.id === id));
  const moved = await inRepository(queue.repository, (git) => movedAmong(git, landing, tip));
  if (moved.length === 0 && (await parts.books.intend(queue, intent, parts.holder)))
    await goOn(parts, queue, intent);
  return 'again';
}

async function goOn({ books }: RoundParts, queue: Queue, intent: Intent): Promise<void> {
  const { from, to } = intent;
  const tip = await tipOf(queue);
  if (tip !== undefined && tip !== from && (await isIn(queue, to, tip))) {
    await takeFilesAlong(queue, intent);
    return books.landed(queue, intent);
  }
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

function isIn({ repository }: Queue, commit: string, tip: string): Promise<boolean> {
  return inRepository(
    repository,
    async (git) => (await findCommit(git, commit)) !== undefined && isAncestor(git, commit, tip),
  );
}

function stackUp(queue: Queue, { tip, waiting, settings }: Taken): Promise<Stacked[]> {
  const candidates = waiting.map(candidateOf);
  return inRepository(queue.repository, (git) =>
    stack(git, { tip, target: queue.target, how: settings.how, candidates }),
  );
}

/** The evidence is found by the landing: which run proves it is known only after its commit is made. */
function candidateOf({ id, branch, head, title, taskId, runId }: StoredLanding): LandCandidate {
  const run = runId === null ? [] : [`Holdfast-Run: ${runId}`];
  return {
    id,
    branch,
    head,
    title,
    trailers: [`Holdfast-Task: ${taskId}`, ...run, `Holdfast-Evidence: ${id}`],
  };
}

type StackedUp = Readonly<{
  tip: string;
  waiting: readonly StoredLanding[];
  stacked: readonly Stacked[];
}>;

/** Whoever conflicts with the tip goes back; answers whether the stack has to be made anew. */
async function bookConflicts({ books }: RoundParts, queue: Queue, { tip, waiting, stacked }: StackedUp) {
  let isNew = false;
  for (const each of stacked) {
    if (each.kind === 'stacked' || (each.kind === 'conflict' && each.with === 'stack')) continue;
    const landing = waiting.find(({ id }) => id === each.id)!;
    isNew = true;
    if (each.kind === 'empty') await books.alreadyIn(landing);
    else {
      const between = { tip, head: landing.head };
      const told = await inRepository(queue.repository, (git) => tellConflict(git, each, between));
      await books.conflict(landing, told);
    }
  }
  return isNew;
}

async function hold(books: Books, waiting: readonly StoredLanding[], why: string): Promise<Round> {
  await books.hold(waiting, excerpt(why, 1_000));
  return 'idle';
}

/** What only a change of the target or of the candidates mends is not tried every few seconds. */
function holdStuck({ books, stuck }: RoundParts, { queue, tip, waiting }: Testing, why: string) {
  stuck.note(queue, tip, waiting);
  return hold(books, waiting, why);
}

function asReason(error: unknown): string {
  if (error instanceof HubError) return error.message;
  throw error;
}
