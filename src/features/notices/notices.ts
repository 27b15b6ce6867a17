import { setTimeout as sleep } from 'node:timers/promises';
import type { Event, Feed } from '../../kernel/event.ts';
import { keepFollowing } from '../../kernel/keep-following.ts';
import type { Log } from '../../kernel/log.ts';
import { isQuiet } from '../../kernel/quiet-hours.ts';
import type { Running } from '../../store/consumers.ts';
import { type NoticeChannel, channelsOf } from './channels.ts';
import { type Notice, type NoticeActions, noticeOf } from './notice.ts';
import type { NoticeSettings } from './settings.ts';

/**
 * Hears of what happens and tells it on, beside the work it tells of: a receiver that hangs or fails costs its own notices
 * and nothing else. What happened while no hub ran is not told: `holdfast` shows where one stands.
 */
export type NoticeParts = Readonly<{
  settings: NoticeSettings;
  log: Log;
  /** Rings where the hub runs. */
  ring(): void;
  now?(): Date;
  /** What a person can do about a request from elsewhere; undefined where nothing can be done from there. */
  actionsFor?(notice: Notice): Promise<NoticeActions | undefined>;
  pausesMs?: readonly number[];
}>;

const MOST_WAITING = 100;
/** An agent that tries the same again and again is told of once in so long. */
const SAME_MS = 10 * 60_000;
const PAUSES_MS = [1_000, 5_000];

export function startNotices(
  feed: Feed,
  { settings, log, ring, now = () => new Date(), pausesMs = PAUSES_MS, actionsFor }: NoticeParts,
): Running {
  const over = new AbortController();
  const queues = channelsOf(settings).map((channel) =>
    createQueue(channel, { log, pausesMs, signal: over.signal }),
  );

  function tell(notice: Notice): void {
    const isNight = isQuiet(settings.quiet, now());
    if (settings.terminal) {
      log.info(notice.text);
      if (!isNight) ring();
    }
    for (const { channel, push } of queues)
      if (channel.isWanted(notice) && !(isNight && channel.isLoud)) push(notice);
  }

  const lately = new Map<string, number>();
  const following = keepFollowing(
    {
      feed,
      log,
      what: 'events that are worth a notice',
      each(entry) {
        if (!('gapBefore' in entry)) consider(entry);
      },
    },
    over.signal,
  );

  function consider(event: Event): void {
    const notice = noticeOf(event);
    if (!notice || (notice.kind === 'refused' && isRepeated(notice))) return;
    if (notice.kind !== 'approval' || !actionsFor) return tell(notice);
    // Without them it is still worth telling.
    void actionsFor(notice)
      .catch(() => undefined)
      .then((actions) => tell(actions ? { ...notice, actions } : notice));
  }

  function isRepeated({ text, at }: Notice): boolean {
    for (const [other, toldAt] of lately) if (at - toldAt >= SAME_MS) lately.delete(other);
    if (lately.has(text)) return true;
    lately.set(text, at);
    return false;
  }

  return {
    async stop() {
      over.abort();
      await following;
      await Promise.all(queues.map(({ settled }) => settled()));
    },
  };
}

type QueueParts = Readonly<{ log: Log; pausesMs: readonly number[]; signal: AbortSignal }>;

/** One after the other, so that they arrive in order; when too many wait, the oldest are let go. */
function createQueue(channel: NoticeChannel, { log, pausesMs, signal }: QueueParts) {
  const waiting: Notice[] = [];
  let sending: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let notice = waiting.shift(); notice && !signal.aborted; notice = waiting.shift())
      await attempt(notice);
    sending = undefined;
  }

  async function attempt(notice: Notice): Promise<void> {
    for (const pause of [...pausesMs, undefined]) {
      try {
        return await channel.send(notice, signal);
      } catch (error) {
        if (signal.aborted) return;
        if (pause === undefined)
          log.warn(`a notice did not reach ${channel.name}: ${(error as Error).message}`);
        else await sleep(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  return {
    channel,
    push(notice: Notice): void {
      waiting.push(notice);
      if (waiting.length > MOST_WAITING) waiting.shift();
      sending ??= work();
    },
    settled: async () => sending,
  };
}
