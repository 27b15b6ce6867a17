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
const LISTS: readonly ListKind[] = ['tools', 'prompts', 'resources'];

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
    const { realm, team } = event;
    const origins = [{ realm, ...(team !== undefined && { team }) }];
    for (const server of registry.all()) {
      const { key, listChangedOn } = server;
      for (const list of LISTS) if (listChangedOn?.[list]?.includes(event.kind)) note({ server: key, list });
      for (const uri of server.updatedBy?.(event) ?? []) note({ server: key, uri, origins });
    }
  };
  await keepFollowing({ feed, log, what: 'changes of lists', each }, signal);
  clearTimeout(timer);
}

/** One notice for many changes of the same thing, with everyone it comes from. */
function joined(earlier: ServerChange | undefined, change: ServerChange): ServerChange {
  if (!earlier || 'list' in earlier || 'list' in change) return change;
  const isNew = ({ realm, team }: Origin) =>
    !earlier.origins.some((origin) => origin.realm === realm && origin.team === team);
  const origins = change.origins.filter(isNew);
  return origins.length === 0 ? earlier : { ...change, origins: [...earlier.origins, ...origins] };
}
