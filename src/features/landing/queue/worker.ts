// Works on the queues of this machine, one round after the other, each queue by one hub at a time.
import { existsSync } from 'node:fs';
import { pause } from '../../../kernel/clock.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Running } from '../../../store/consumers.ts';
import { whileKept } from '../../../store/lease.ts';
import { LAND_SUBJECT } from '../landing-shapes.ts';
import { type Queue, queueAt, queueLease, queuesWithWork } from '../rows.ts';
import { doRound, type RoundParts } from './round.ts';
import { createStuck } from './stuck.ts';

type WorkerParts = Omit<RoundParts, 'stuck'> & Readonly<{ log: Log }>;

/** After a hub was killed its queue waits so long for the next one. */
const LEASE_MS = 10_000;
/** What is held is looked at again so often: nobody tells when a checkout is clean. */
const LOOK_AGAIN_MS = 2_000;

export function startLanding(parts: WorkerParts): Running {
  const { db, holder, log } = parts;
  const round: RoundParts = { ...parts, stuck: createStuck() };
  const stopping = new AbortController();
  const finished = loop();

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const isMore = await once();
        if (!isMore) await untilWoken();
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn('A round of landing failed and will be tried again.', { error });
        await pause(1_000, stopping.signal);
      }
    }
  }

  async function untilWoken(): Promise<void> {
    const seen = await db.read((q) => queuesWithWork(q));
    const timer = new AbortController();
    const after = setTimeout(() => timer.abort(), seen.length > 0 ? LOOK_AGAIN_MS : LOOK_AGAIN_MS * 15);
    let looks = 0;
    const signal = AbortSignal.any([stopping.signal, timer.signal]);
    try {
      const isWoken = async () => {
        looks += 1;
        // What came before anybody listened is seen by what it left.
        const isNew = looks > 1 || (await db.read((q) => queuesWithWork(q))).length !== seen.length;
        return isNew ? true : undefined;
      };
      await db.feed.until(LAND_SUBJECT, isWoken, signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      clearTimeout(after);
    }
  }

  /** True when there is more to do at once. */
  async function once(): Promise<boolean> {
    let isMore = false;
    for (const queue of await db.read((q) => queuesWithWork(q))) {
      // Hubs of several machines share queues, and only who has the repository can work on one.
      if (stopping.signal.aborted || !existsSync(queue.repository)) continue;
      isMore = (await workOn(queue)) || isMore;
    }
    return isMore;
  }

  async function workOn(queue: Queue): Promise<boolean> {
    const hold = { holder, ms: LEASE_MS, longestMs: LEASE_MS };
    const isMine = await db.write(systemActor, (tx) => queueLease.take(tx, queue.key, hold));
    if (!isMine) return false;
    const renew = async () => {
      if (!(await db.write(systemActor, (tx) => queueLease.keep(tx, queue.key, hold))))
        throw new Error('lease lost');
    };
    try {
      return await whileKept(LEASE_MS, renew, async (lost) => {
        const current = await db.read((q) => queueAt(q, queue.key));
        if (!current) return false;
        return (await doRound(round, current, AbortSignal.any([lost, stopping.signal]))) === 'again';
      });
    } finally {
      await db.write(systemActor, (tx) => queueLease.free(tx, queue.key, holder));
    }
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}
