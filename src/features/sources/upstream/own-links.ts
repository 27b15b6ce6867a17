import { HubError } from '../../../kernel/errors.ts';
import type { Link } from './link.ts';

/** Connections of callers that want one for themselves (`isolate: caller`): bounded, the one least used goes first. */
export interface OwnLinks {
  of(caller: string): Promise<Link>;
  forget(caller: string): void;
  close(): Promise<void>;
}

/** Of one source. */
const MOST_OWN = 16;

export function createOwnLinks(source: string, open: (onClosed: () => void) => Promise<Link>): OwnLinks {
  const links = new Map<string, Promise<Link>>();

  async function closeLeastUsed(): Promise<void> {
    for (const [caller, opening] of links) {
      const one = await opening.catch(() => undefined);
      if (one && !one.isIdle()) continue;
      links.delete(caller);
      await one?.close();
      return;
    }
    throw new HubError('busy', `${source} has ${MOST_OWN} callers at once; try again in a moment.`);
  }

  return {
    async of(caller) {
      const known = links.get(caller);
      if (known) {
        links.delete(caller);
        links.set(caller, known);
        return known;
      }
      if (links.size >= MOST_OWN) await closeLeastUsed();
      const opening = open(() => links.delete(caller));
      links.set(caller, opening);
      opening.catch(() => links.delete(caller));
      return opening;
    },
    forget: (caller) => void links.delete(caller),
    async close() {
      const open = await Promise.all([...links.values()].map((one) => one.catch(() => undefined)));
      links.clear();
      await Promise.allSettled(open.map(async (one) => one?.close()));
    },
  };
}
