// One round of a queue: take, stack, prove, move. What is written down before the ref moves is enough to go on after a crash.
import { HubError } from '../../../kernel/errors.ts';
import { diskFault } from '../../../kernel/file-faults.ts';
import type { Git } from '../../../kernel/git/git.ts';
import { isAncestor } from '../../../kernel/git/merge.ts';
import { newId } from '../../../kernel/ids.ts';
import { type LandSettings, landSettingsOf } from '../../../kernel/land-settings.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database } from '../../../store/database.ts';
import type { Books } from './books.ts';
import { tellConflict } from './conflicts.ts';
import { DEFINITION_FILE } from '../checks/definition.ts';
import { definitionAt, saysTheSame } from '../checks/definition-at.ts';
import { isReady, judge, newEvidenceIds, stackUp, type Testing, type StackVerdict } from './judge.ts';
import { goOn } from '../move/move.ts';
import type { Prover } from '../checks/prove.ts';
import { ontoOf } from '../move/remotes.ts';
import { branchAt, changedBetween, inRepository, repositoryAt } from '../repository.ts';
import type { Intent, Queue, StoredLanding } from '../rows.ts';
import { guardedAmong, together } from '../rules.ts';
import type { RunsHere } from './runs-here.ts';
import type { Stacked } from './stack.ts';
import type { Stuck } from './stuck.ts';
import { holdsBack, tipOf } from '../move/target.ts';

export type RoundParts = Readonly<{
  db: Database;
  books: Books;
  prover: Prover;
  land: Readonly<Record<string, LandSettings>>;
  /** This hub, as the lease of a queue knows it. */
  holder: string;
  stuck: Stuck;
  runs(): RunsHere;
}>;

/** All that was taken, of which some are judged now. */
type Taking = Readonly<{ taken: readonly StoredLanding[] }>;

const PUSHED_AGAIN_MS = 60_000;

/** What became of the queue: whether there is more to do at once. */
type Round = 'again' | 'idle';

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
  // Looked at while the stack is made: all of that is done again, or gone, where it holds back.
  const holding = holdsBack(queue);
  holding.catch(() => undefined);
  if (await lookAgain(parts, queue, { tip, waiting: taken, settings })) return 'again';
  const isStuck = stuck.isStill(queue, tip, taken);
  if (isStuck || settings.push !== undefined) {
    const back = await holding;
    if (back !== undefined) return hold(books, taken, back);
    if (isStuck) return 'idle';
  }
  const at = await ontoOf(parts.db, queue, { tip, settings, signal }).catch(asReason);
  if (typeof at === 'string') return holdStuck(parts, { queue, tip, waiting: taken, settings }, at);
  if (at.kind === 'held') return hold(books, taken, at.why);
  const { onto, push } = at;
  // What goes wrong with it is seen when it is used.
  parts.prover.expect(queue).catch(() => undefined);
  const definition = await definitionAt(queue.repository, onto).catch(asReason);
  if (typeof definition === 'string') return hold(books, taken, definition);
  const waiting = together(taken, definition);
  const plan = { queue, tip, onto, push, ids: newEvidenceIds(definition), settings };
  const stacked = await stackUp(plan, waiting);
  const ready = stacked.filter(isReady);
  const testing = { ...plan, definition, ready, waiting, signal };
  // The look at the checkout takes longer than the stack: what it changes is asked meanwhile.
  const unseen = unseenIn(testing);
  unseen.catch(() => undefined);
  const back = await holding;
  if (back !== undefined) return hold(books, taken, back);
  if (await bookConflicts(parts, queue, { tip: onto, waiting, stacked, settings })) return 'again';
  if (ready.length === 0) return 'idle';
  if (await bookGuarded(parts, await unseen)) return 'again';
  await books.testing(waiting, { ready: ready.map(({ id }) => id), batch: newId() });
  return test(parts, { ...testing, taken });
}

type Taken = Readonly<{ tip: string; waiting: readonly StoredLanding[]; settings: LandSettings }>;

/** Branches move, and tasks are given up, while they wait. Answers whether anything is not what it was. */
async function lookAgain({ books }: RoundParts, queue: Queue, { tip, waiting, settings }: Taken) {
  const unwanted = await books.unwanted(waiting);
  for (const landing of unwanted) await books.withdraw(landing, 'its task was cancelled');
  const moved = await movedAmong(queue, waiting, tip);
  for (const { landing, head } of moved) {
    if (head === undefined) await books.withdraw(landing, `there is no branch ${landing.branch} any more`);
    else if (settings.approve === 'checks' && landing.protected.length === 0 && landing.approvedBy === null)
      await books.follow(landing, head);
    else await books.waitFor(landing, { why: 'its branch moved after it was asked for', head });
  }
  return unwanted.length + moved.length > 0;
}

type Moved = Readonly<{ landing: StoredLanding; head: string | undefined }>;

/** What is in the target already has landed, whatever became of its branch. */
async function movedAmong(
  { repository }: Queue,
  waiting: readonly StoredLanding[],
  tip: string,
): Promise<Moved[]> {
  const moved: Moved[] = [];
  const place = await repositoryAt(repository);
  for (const landing of waiting) {
    const head = await branchAt(place, landing.branch);
    if (head === landing.head) continue;
    const isIn = (git: Git) => isAncestor(git, landing.head, tip);
    if (head === undefined && (await inRepository(repository, isIn))) continue;
    moved.push({ landing, head });
  }
  return moved;
}

type Unseen = Readonly<{ landing: StoredLanding; paths: string[] }>;

/** What a landing really changes, by its result: paths that it would change and no person has seen. */
function unseenIn(testing: Testing): Promise<Unseen[]> {
  const { queue, onto, definition, ready, waiting, settings } = testing;
  return inRepository(queue.repository, async (git) => {
    let before = onto;
    const unseen: Unseen[] = [];
    for (const { id, commit } of ready) {
      const landing = waiting.find((each) => each.id === id)!;
      const changed = await changedBetween(git, before, commit);
      const paths = guardedAmong(changed, { definition, settings });
      if (!changed.includes(DEFINITION_FILE)) saysTheSame(queue.repository, before, commit);
      before = commit;
      if (landing.approvedBy === null ? paths.length > 0 : paths.some((path) => !isSeen(landing, path)))
        unseen.push({ landing, paths });
    }
    return unseen;
  });
}

/** They wait for one. */
async function bookGuarded({ books }: RoundParts, unseen: readonly Unseen[]): Promise<boolean> {
  for (const { landing, paths } of unseen)
    await books.waitFor(landing, { why: whyGuarded(paths), protected: paths });
  return unseen.length > 0;
}

const isSeen = (landing: StoredLanding, path: string): boolean => landing.protected.includes(path);

export function whyGuarded(paths: readonly string[]): string {
  return `it changes what only a person lets through: ${paths.slice(0, 5).join(', ')}`;
}

async function test(parts: RoundParts, testing: Testing & Pick<Taking, 'taken'>): Promise<Round> {
  const { books, prover } = parts;
  let verdict: StackVerdict;
  try {
    verdict = await judge(prover, testing);
  } catch (error) {
    testing.signal.throwIfAborted();
    return holdStuck(parts, { ...testing, waiting: testing.taken }, asReason(error));
  }
  if (verdict.kind === 'target fails')
    return holdStuck(
      parts,
      { ...testing, waiting: testing.taken },
      `${testing.queue.target} itself fails its checks.`,
    );
  const { lands, culprit } = verdict;
  if (culprit) {
    await books.failed(culprit.id, { evidence: culprit.evidence, commit: culprit.ready.at(-1)!.commit });
    const after = testing.ready.findIndex(({ id }) => id === culprit.id) + 1;
    await books.again(testing.ready.slice(after).map(({ id }) => id));
  }
  if (lands.ready.length === 0) return 'again';
  const evidence = lands.evidence.map(({ id }) => id);
  const landings = lands.ready.map(({ id, commit, tree }) => {
    const { head } = testing.waiting.find((each) => each.id === id)!;
    return { id, head, commit, tree, evidence };
  });
  const { tip: from, push } = testing;
  return land(parts, testing, { from, to: landings.at(-1)!.commit, landings, push });
}

/** The intent is on disk before the ref moves, and struck out with the books: whoever comes next finds one of the two. */
async function land(parts: RoundParts, { queue, waiting }: Testing, intent: Intent): Promise<Round> {
  const landing = waiting.filter(({ id }) => intent.landings.some((each) => each.id === id));
  const moved = await movedAmong(queue, landing, intent.from);
  if (moved.length === 0 && (await parts.books.intend(queue, intent, parts.holder)))
    await goOn(parts, queue, intent);
  return 'again';
}

type StackedUp = Readonly<{
  tip: string;
  waiting: readonly StoredLanding[];
  stacked: readonly Stacked[];
  settings: LandSettings;
}>;

/** Whoever conflicts with the tip goes back; answers whether the stack has to be made anew. */
async function bookConflicts(
  parts: RoundParts,
  queue: Queue,
  { tip, waiting, stacked, settings }: StackedUp,
) {
  const { books } = parts;
  let isNew = false;
  for (const each of stacked) {
    if (each.kind === 'stacked' || (each.kind === 'conflict' && each.with === 'stack')) continue;
    const landing = waiting.find(({ id }) => id === each.id)!;
    isNew = true;
    if (each.kind === 'empty') await books.alreadyIn(landing);
    else {
      const between = { tip, head: landing.head };
      const told = await inRepository(queue.repository, (git) => tellConflict(git, each, between));
      await books.conflict(landing, told, settings.onConflict === 'run');
      parts.runs().conflicted();
    }
  }
  return isNew;
}

async function hold(books: Books, waiting: readonly StoredLanding[], why: string): Promise<Round> {
  await books.hold(waiting, excerpt(why, 1_000));
  return 'idle';
}

/** What only a change of the target or of the candidates mends is not tried every few seconds. */
function holdStuck(
  { books, stuck }: RoundParts,
  { queue, tip, waiting, settings }: Pick<Testing, 'queue' | 'tip' | 'waiting' | 'settings'>,
  why: string,
) {
  // Where it is pushed others mend it, too, and nobody tells.
  stuck.note(queue, { tip, waiting, againMs: settings.push === undefined ? undefined : PUSHED_AGAIN_MS });
  return hold(books, waiting, why);
}

function asReason(error: unknown): string {
  if (error instanceof HubError) return error.message;
  const fault = diskFault(error);
  if (fault !== undefined) return `It cannot be tested: ${fault}.`;
  throw error;
}
