// Keeps one source running: connects, tries again, stops. What it has is kept while it is away.
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { UpstreamTarget } from '../../../mcp/upstream/connect.ts';
import { failureIn } from '../../../mcp/upstream/failures.ts';
import type { Upstream } from '../../../mcp/upstream/upstream.ts';
import { away, tooSlow, toReason, uncertain } from './absence.ts';
import { type Link, openLink, type RunningLink } from './link.ts';
import { createOwnLinks } from './own-links.ts';
import { isLost, mayRepeat, type Repeatable, STEADY_MS, waitAfter } from '../rules.ts';
import type { SourceEntry } from '../config/settings.ts';
import { type SourceListing, readListing } from './source-lists.ts';

export type SourceState = 'starting' | 'ready' | 'failing' | 'stopped' | 'quarantined';

export type SourceStatus = Readonly<{
  state: SourceState;
  reason: string | undefined;
  since: number;
  failures: number;
  isBroken: boolean;
  nextTryAt: number | undefined;
  listing: SourceListing | undefined;
}>;

export type SupervisorParts = Readonly<{
  entry: SourceEntry;
  log: Log;
  /** Looked up at every connection: secrets may have changed. */
  locate(): Promise<UpstreamTarget>;
  login?: NonNullable<Parameters<typeof openLink>[0]['options']['login']> | undefined;
  /** Hides what must not be said. */
  hide(text: string): string;
  onListing(listing: SourceListing): Promise<void>;
  onState(status: SourceStatus): void;
  onUpdated(uri: string): void;
}>;

/**
 * Keeps one source alive. One connection attempt at a time; whoever needs the source while it starts waits for that one.
 * Proven by `test/contract/sources-faults.test.ts`.
 */
export interface Supervisor {
  readonly entry: SourceEntry;
  status(): SourceStatus;
  /** Why it is not there now; undefined when it is ready. */
  absence(): HubError | undefined;
  start(): void;
  /** Tries at once, whatever the breaker says. Resolves when it is ready or has failed. */
  retry(): Promise<SourceStatus>;
  /** Waits for a list that the source has `announced`; `look`: reads its list anew in any case. */
  upToDate(how: 'announced' | 'look'): Promise<void>;
  call<T>(running: RunningLink, tool: Repeatable, work: (upstream: Upstream) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** How long a call waits for a source that is starting. */
const WAIT_MS = 10_000;
/** A source that just failed is not tried again for every call. */
const SOONEST_MS = 1_000;
/** A source on the web does not say that it went away or changed: it is looked at now and then. */
const LOOK_MS = 60_000;

export function createSupervisor(parts: SupervisorParts): Supervisor {
  const { entry, log, hide } = parts;
  let state: Exclude<SourceState, 'quarantined'> = 'stopped';
  let reason: string | undefined;
  let since = Date.now();
  let failures = 0;
  let isBroken = false;
  let nextTry: Readonly<{ at: number; shown: number }> | undefined;
  let listing: SourceListing | undefined;
  let link: Link | undefined;
  let attempt: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let refreshing: Promise<void> | undefined;
  let isDirty = false;
  let readyAt = -Infinity;
  let failedAt = -Infinity;
  let hasAnswered = false;
  let stopping = new AbortController();
  // Their own lists are not looked at.
  const own = createOwnLinks(entry.name, (onClosed) =>
    open(onClosed, AbortSignal.any([AbortSignal.timeout(entry.start), stopping.signal]), false),
  );

  const status = (): SourceStatus => ({
    state,
    reason,
    since,
    failures,
    isBroken,
    nextTryAt: nextTry?.shown,
    listing,
  });

  function move(next: typeof state, why?: string): void {
    if (next !== state || why !== reason) since = Date.now();
    state = next;
    reason = why;
    parts.onState(status());
  }

  async function open(
    onClosed: (why: string | undefined) => void,
    signal: AbortSignal,
    isMain: boolean,
  ): Promise<Link> {
    const target = await parts.locate();
    return openLink({
      target,
      options: {
        version: entry.speaks,
        connectMs: entry.start,
        callMs: entry.timeout,
        signal,
        onClosed,
        ...(isMain && { onListChanged: () => void refresh(), onUpdated: parts.onUpdated }),
        ...(parts.login && { login: parts.login }),
      },
    });
  }

  /** One limit for all of it: connecting, the handshake and the first lists. */
  async function connect(): Promise<void> {
    clearTimeout(timer);
    nextTry = undefined;
    move('starting', reason);
    let opened: Link | undefined;
    const limit = AbortSignal.timeout(entry.start);
    const signal = AbortSignal.any([limit, stopping.signal]);
    try {
      opened = await open((why) => lost(opened, why), signal, true);
      await Promise.race([take(opened.upstream), aborted(signal)]);
      link = opened;
      readyAt = elapsed();
      hasAnswered = false;
      move('ready');
      if (entry.url !== undefined) lookLater(opened);
    } catch (error) {
      await opened?.close().catch(() => undefined);
      failedAt = elapsed();
      if (!stopping.signal.aborted) fail(limit.aborted ? tooSlow(entry.start) : error);
    }
  }

  /** The list of a source that has just come, or has said that it changed. */
  async function take(upstream: Upstream): Promise<void> {
    listing = await readListing(upstream);
    await parts.onListing(listing);
  }

  function lookLater(opened: Link): void {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const look = opened.isIdle() ? take(opened.upstream) : Promise.resolve();
      look
        .then(
          () => (link === opened ? lookLater(opened) : undefined),
          (error: unknown) => (isLost(failureIn(error)) ? drop('', opened) : lookLater(opened)),
        )
        .catch(() => undefined);
    }, LOOK_MS);
    timer.unref();
  }

  async function refresh(): Promise<void> {
    isDirty = true;
    refreshing ??= (async () => {
      while (isDirty && link) {
        isDirty = false;
        await take(link.upstream).catch((error: unknown) =>
          log.warn('a list of a source could not be read again', { source: entry.name, error }),
        );
      }
    })().finally(() => (refreshing = undefined));
    await refreshing;
  }

  function lost(which: Link | undefined, why: string | undefined): void {
    if (which === undefined || which !== link) return;
    link = undefined;
    if (state !== 'ready') return;
    if (hasAnswered || elapsed() - readyAt > STEADY_MS) failures = 0;
    fail(new HubError('unavailable', why === undefined ? 'the connection was closed' : why));
  }

  function fail(error: unknown): void {
    failures += 1;
    const { ms, isOpen } = waitAfter(failures, Math.random());
    isBroken = isOpen;
    nextTry = { at: elapsed() + ms, shown: Date.now() + ms };
    timer = setTimeout(() => void begin(), ms);
    timer.unref();
    move('failing', hide(toReason(error)));
  }

  function begin(): Promise<void> {
    attempt ??= connect().finally(() => (attempt = undefined));
    return attempt;
  }

  function whyAway(): HubError {
    const now = state === 'ready' ? 'starting' : state;
    return away({ source: entry.name, state: now, reason, tryAgainMs: nextTry && nextTry.at - elapsed() });
  }

  async function ready(): Promise<Link> {
    if (state === 'ready' && link) return link;
    if (state === 'stopped') throw whyAway();
    if (state === 'failing' && !isBroken && elapsed() - failedAt > SOONEST_MS) void begin();
    if (attempt) await Promise.race([attempt, sleep(WAIT_MS, undefined, { ref: false })]);
    if (link) return link;
    throw whyAway();
  }

  async function linkFor(caller: string): Promise<Link> {
    const shared = await ready();
    return entry.isolate === 'shared' ? shared : own.of(caller);
  }

  /** A program that ended says more than a connection that closed. */
  function whyLost(error: unknown): string {
    return state !== 'ready' && reason !== undefined ? reason : hide(toReason(error));
  }

  /** Whatever is known of the connection is forgotten, so that the next use makes a new one. */
  async function drop(caller: string, which: Link): Promise<void> {
    if (which === link) lost(which, undefined);
    else own.forget(caller);
    await which.close().catch(() => undefined);
  }

  return {
    entry,
    status,
    absence: () => (state === 'ready' ? undefined : whyAway()),
    start() {
      stopping = new AbortController();
      void begin();
    },
    async retry() {
      failures = 0;
      isBroken = false;
      if (state !== 'ready') await begin();
      return status();
    },
    async upToDate(how) {
      if (how === 'look') {
        await ready();
        await refresh();
      } else await refreshing;
    },
    async call(running, tool, work) {
      for (let attempts = 1; ; attempts += 1) {
        const used = await linkFor(running.caller);
        try {
          const answer = await used.run(running, work);
          hasAnswered = true;
          return answer;
        } catch (error) {
          const failure = failureIn(error);
          if (!isLost(failure)) throw error;
          const isStdio = entry.command !== undefined;
          if (failure === 'session' || failure === 'unsent' || isStdio) await drop(running.caller, used);
          if (attempts > 1 || !mayRepeat(failure, tool))
            throw uncertain(entry.name, whyLost(error), failure === 'closed');
        }
      }
    },
    async stop() {
      clearTimeout(timer);
      stopping.abort();
      await attempt;
      const last = link;
      link = undefined;
      const closing = own.close();
      move('stopped');
      await Promise.allSettled([closing, last?.close()]);
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
