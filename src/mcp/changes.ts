import type { Event, Feed, Gap } from '../kernel/event.ts';
import { keepFollowing } from '../kernel/keep-following.ts';
import type { Log } from '../kernel/log.ts';
import type { Origin } from '../kernel/visibility.ts';
import type { Registry } from './registry.ts';
import type { ListKind } from './server.ts';

/** Something a client may have cached is another now. `origins`: whose events changed the resource; only who may see one of them is told. */
export type ServerChange = Readonly<
  { server: string; list: ListKind } | { server: string; uri: string; origins: readonly Origin[] }
>;

export interface Changes {
  subscribe(listener: (change: ServerChange) => void): () => void;
}

export interface ChangeBoard extends Changes {
  publish(change: ServerChange): void;
}

export function createChangeBoard(): ChangeBoard {
  const listeners = new Set<(change: ServerChange) => void>();
  return {
    publish(change) {
      for (const listener of listeners) listener(change);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Bursts become one notice: a client that re-reads a list once per event is slower than one that waits. */
const SETTLE_MS = 75;

/** Follows the feed and publishes what its events mean for the lists and resources of each server, until the signal aborts. */
export async function followFeed(
  parts: Readonly<{ feed: Feed; registry: Registry; board: ChangeBoard; log: Log }>,
  signal: AbortSignal,
): Promise<void> {
  const { feed, registry, board, log } = parts;
  const waiting = new Map<string, ServerChange>();
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    timer = undefined;
    const due = [...waiting.values()];
    waiting.clear();
    for (const change of due) board.publish(change);
  };
  const note = (change: ServerChange) => {
    const key = 'list' in change ? `${change.server} ${change.list}` : `${change.server} ${change.uri}`;
    waiting.set(key, joined(waiting.get(key), change));
    timer ??= setTimeout(flush, SETTLE_MS).unref();
  };
  const each = (event: Event | Gap) => {
    if ('gapBefore' in event) return;
    for (const change of meaningOf(event, registry)) note(change);
  };
  await keepFollowing({ feed, log, what: 'changes of lists', each }, signal);
  clearTimeout(timer);
}

/** One notice for many changes of the same thing, with everyone it comes from. */
function joined(earlier: ServerChange | undefined, change: ServerChange): ServerChange {
  if (!earlier || 'list' in earlier || 'list' in change) return change;
  const isKnown = ({ realm, team }: Origin) =>
    earlier.origins.some((origin) => origin.realm === realm && origin.team === team);
  return { ...change, origins: [...earlier.origins, ...change.origins.filter((origin) => !isKnown(origin))] };
}

function meaningOf(event: Event, registry: Registry): ServerChange[] {
  return registry.all().flatMap((server) => {
    const lists = (['tools', 'prompts', 'resources'] as const).filter((list) =>
      server.listChangedOn?.[list]?.includes(event.kind),
    );
    const uris = server.updatedBy?.(event) ?? [];
    const origins = [{ realm: event.realm, ...(event.team !== undefined && { team: event.team }) }];
    return [
      ...lists.map((list) => ({ server: server.key, list })),
      ...uris.map((uri) => ({ server: server.key, uri, origins })),
    ];
  });
}
