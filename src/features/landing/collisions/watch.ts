// Watches the branches that somebody works on, and tries those that moved with all others that change the same files.
import { pause } from '../../../kernel/clock.ts';
import type { Event, Gap } from '../../../kernel/event.ts';
import { keepFollowing } from '../../../kernel/keep-following.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Running } from '../../../store/consumers.ts';
import { whileKept } from '../../../store/lease.ts';
import type { Chat } from '../../chat/chat.ts';
import { besideRepository } from '../repository.ts';
import { bookLook, type Looked } from './books.ts';
import { livingBranches, type LivingParts } from './living-branches.ts';
import {
  branchesOf,
  type BranchMark,
  branchMarks,
  knowRepository,
  type StoredBranch,
  watchLease,
} from './rows.ts';
import { pairsToTry } from './rules.ts';
import { touchedBy, trunkOf, tryPairs } from './try-merges.ts';

export type WatchParts = LivingParts & Readonly<{ chat: Chat; log: Log }>;

/** A small file is read for each branch: that may be often. */
const LOOK_MS = 1_000;
/** With fewer than two there is nothing to compare. */
const IDLE_MS = 10_000;
/** What happens to tasks and runs is looked at together. */
const LEAST_MS = 300;
const LEASE_MS = 10_000;

export function startWatching(parts: WatchParts, holder: string): Running {
  const stopping = new AbortController();
  let wake = new AbortController();
  const finished = Promise.all([loop(), hear()]);

  /** A task that names a branch, a claim that changes hands, a run that ends. */
  async function hear(): Promise<void> {
    // To be woken twice makes an error that nobody sees, and a board at work tells a thousand things a second.
    const each = (event: Event | Gap) => {
      if (wake.signal.aborted) return;
      if ('gapBefore' in event || /^(?:task|run)\.(?!events)/.test(event.kind)) wake.abort();
    };
    const { db, log } = parts;
    await keepFollowing({ feed: db.feed, log, what: 'tasks and runs with branches', each }, stopping.signal);
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      let isBusy = false;
      wake = new AbortController();
      try {
        isBusy = await lookOnce(parts, holder);
      } catch (error) {
        if (!stopping.signal.aborted)
          parts.log.warn('Branches could not be looked at and will be again.', { error });
      }
      await pause(LEAST_MS, stopping.signal);
      await pause(isBusy ? LOOK_MS : IDLE_MS, AbortSignal.any([stopping.signal, wake.signal]));
    }
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}

/** Answers whether there is anything to watch. */
async function lookOnce(parts: WatchParts, holder: string): Promise<boolean> {
  const living = await livingBranches(parts);
  const known = Map.groupBy(await parts.db.read(branchMarks), ({ repository }) => repository);
  for (const repository of new Set([...living.keys(), ...known.keys()])) {
    const now = living.get(repository) ?? [];
    if (!isSame(now, known.get(repository) ?? [])) await lookAt(parts, { repository, now, holder });
  }
  return [...living.values()].some(({ length }) => length > 1);
}

function isSame(now: readonly BranchMark[], known: readonly BranchMark[]): boolean {
  const before = new Map(known.map((each) => [each.branch, each]));
  return now.length === known.length && now.every((each) => isAsBefore(each, before.get(each.branch)));
}

function isAsBefore(now: BranchMark, before: BranchMark | undefined): boolean {
  const { head, project, taskId, agent } = now;
  return (
    before?.head === head && before.project === project && before.taskId === taskId && before.agent === agent
  );
}

type Look = Readonly<{ repository: string; now: readonly BranchMark[]; holder: string }>;

/** What is written down says what was compared already: whichever hub looks next goes on from there. */
async function lookAt({ db, chat }: WatchParts, { repository, now, holder }: Look): Promise<void> {
  const hold = { holder, ms: LEASE_MS, longestMs: LEASE_MS };
  const isMine = await db.write(systemActor, async (tx) => {
    await knowRepository(tx, repository);
    return watchLease.take(tx, repository, hold);
  });
  if (!isMine) return;
  const keep = async () => {
    if (!(await db.write(systemActor, (tx) => watchLease.keep(tx, repository, hold))))
      throw new Error('lease lost');
  };
  try {
    await whileKept(LEASE_MS, keep, async (lost) => {
      const known = await db.read((q) => branchesOf(q, repository));
      const looked = await compare(repository, now, known);
      lost.throwIfAborted();
      await db.write(systemActor, async (tx) => {
        if (await watchLease.keep(tx, repository, hold)) await bookLook(tx, chat, looked);
      });
    });
  } finally {
    await db.write(systemActor, (tx) => watchLease.free(tx, repository, holder));
  }
}

async function compare(
  repository: string,
  now: readonly BranchMark[],
  known: readonly StoredBranch[],
): Promise<Looked> {
  const before = new Map(known.map((each) => [each.branch, each]));
  const names = new Set(now.map(({ branch }) => branch));
  const gone = known.filter(({ branch }) => !names.has(branch));
  const moved = new Set(
    now.filter(({ branch, head }) => before.get(branch)?.head !== head).map(({ branch }) => branch),
  );
  const stand = async (touch: (head: string) => ReturnType<typeof touchedBy>) => {
    const living: StoredBranch[] = [];
    for (const each of now) {
      const old = before.get(each.branch);
      const touches = moved.has(each.branch) || !old ? await touch(each.head) : old;
      const { paths, isWhole } = touches;
      living.push({ ...each, paths, isWhole });
    }
    return living;
  };
  const { living, found } =
    moved.size === 0
      ? { living: await stand(async () => ({ paths: [], isWhole: true })), found: [] }
      : await besideRepository(repository, async (git) => {
          const trunk = await trunkOf(git, names);
          const all = await stand(async (head) =>
            trunk === undefined ? { paths: [], isWhole: false } : touchedBy(git, trunk, head),
          );
          return { living: all, found: await tryPairs(git, pairsToTry(all, moved)) };
        });
  const changed = living.filter((each) => !isAsBefore(each, before.get(each.branch)));
  const taken = changed.filter(({ branch, agent }) => agent !== null && before.get(branch)?.agent !== agent);
  return { repository, living, changed, moved, gone, found, taken };
}
