import { useSyncExternalStore } from 'react';
import { queryClient } from '../api/client.ts';
import { refreshCards } from '../board/cards.ts';
import { ownScript } from '../api/own-script.ts';
import { checkBuild } from './build.ts';
import { staleBy } from './stale.ts';
import { openStream, type HubEvent, type LiveMessage, type LiveState } from './stream.ts';
import workerUrl from './worker.ts?worker&url';

/** What the page knows of the stream: whether it stands, and what came by, oldest first. */
export type Live = Readonly<{
  state: LiveState;
  events: readonly HubEvent[];
  hasPast: boolean;
  since: number;
}>;

/** A burst becomes one look: a hundred events a second must not be a hundred fetches. What comes alone is shown at once. */
const GATHER_MS = 60;
const AT_ONCE_MS = 8;
const KEPT = 400;
/** The clocks of the hub and of this browser may differ by so much. */
const LOADING_MS = 5_000;

let live: Live = { state: 'opening', events: [], hasPast: false, since: Date.now() };
const watchers = new Set<() => void>();
let tasks = new Set<string>();
let keys = new Map<string, readonly unknown[]>();
let isGathering = false;
let settledAt = 0;

export function useLive(): Live {
  return useSyncExternalStore(watchLive, () => live);
}

/** What of it somebody wants: who asks is drawn again when the answer is another, not with every event. */
export function useOfLive<T>(select: (live: Live) => T): T {
  return useSyncExternalStore(watchLive, () => select(live));
}

function watchLive(changed: () => void): () => void {
  watchers.add(changed);
  return () => watchers.delete(changed);
}

export function startLive(): void {
  if (typeof SharedWorker === 'undefined') return openStream(hear);
  const { port } = new SharedWorker(ownScript(workerUrl), { type: 'module', name: 'holdfast' });
  port.addEventListener('message', ({ data }: MessageEvent<LiveMessage>) => hear(data));
  port.start();
  addEventListener('pagehide', () => port.postMessage('bye'));
}

function hear(message: LiveMessage): void {
  switch (message.kind) {
    case 'past':
      tell({ events: message.events.slice(-KEPT), hasPast: true });
      // What happened while the page was loading may have been asked for before it happened.
      for (const event of message.events)
        if (event.at > performance.timeOrigin - LOADING_MS) makeStale(event);
      return;
    case 'event':
      gather(message.event);
      return;
    case 'gap':
      void queryClient.invalidateQueries();
      return;
    case 'state':
      if (message.state === 'open' && live.state === 'lost') {
        void queryClient.invalidateQueries();
        void checkBuild();
      }
      if (message.state !== live.state) tell({ state: message.state, since: Date.now() });
  }
}

const arrived: HubEvent[] = [];

function gather(event: HubEvent): void {
  arrived.push(event);
  makeStale(event);
}

function makeStale(event: HubEvent): void {
  const stale = staleBy(event);
  if (stale.task !== undefined) tasks.add(stale.task);
  for (const key of stale.keys) keys.set(JSON.stringify(key), key);
  if (isGathering) return;
  isGathering = true;
  setTimeout(settle, performance.now() - settledAt > GATHER_MS ? AT_ONCE_MS : GATHER_MS);
}

function settle(): void {
  isGathering = false;
  settledAt = performance.now();
  const changed = tasks;
  const stale = keys;
  tasks = new Set();
  keys = new Map();
  if (changed.size > 0) void refreshCards([...changed]);
  for (const key of stale.values()) void queryClient.invalidateQueries({ queryKey: key });
  tell({ events: [...live.events, ...arrived.splice(0)].slice(-KEPT) });
}

function tell(change: Partial<Live>): void {
  live = { ...live, ...change };
  for (const changed of watchers) changed();
}
