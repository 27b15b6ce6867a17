import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { cameFrom } from '../../kernel/came-from.ts';
import { elapsed } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { isLoopbackName } from '../../kernel/loopback.ts';
import type { Presented } from '../../kernel/presented.ts';
import type { Principal } from '../../kernel/principal.ts';

/**
 * In front of the guard: who shows a wrong credential waits for his answer, longer each time, and is written down; who
 * holds one has a rate. Nobody else is slowed, and the owner on loopback, who shows none, is not counted at all.
 */
export type ThrottleParts = Readonly<{
  guard(presented: Presented): Promise<Principal>;
  log: Log;
  /** Calls per second; ten times as many at once. 0 counts nothing. */
  callsPerSecond: number;
  /** What has passed; a clock that somebody sets must take nothing from anybody. */
  now?: () => number;
  /** Hears who each request was found to be, for the access log. */
  note?(request: IncomingMessage, who: Principal): void;
}>;

/** A client with an old token asks a few times before anybody looks; a guesser asks for ever. */
const FREE_MISTAKES = 10;
/** Whoever is on this machine has better ways than guessing; from elsewhere guessing is all there is. */
const LONGEST_WAIT_MS = { here: 40, elsewhere: 1_000 };
const FORGET_MS = 60_000;
/** Wrong ones that are held back at once; who sends more of them is told to stop, and nobody else is. */
const MOST_HELD = 256;
const MOST_KNOWN = 10_000;
const LOGGED_PER_MINUTE = 20;

export function createThrottle({
  guard,
  log,
  callsPerSecond,
  now = elapsed,
  note,
}: ThrottleParts): (presented: Presented) => Promise<Principal> {
  const mistakes = createMistakes(log, now);
  const charge = createRates(callsPerSecond, now);
  return async (presented) => {
    const { request } = presented;
    let who: Principal;
    try {
      who = await guard(presented);
    } catch (error) {
      if (isWrongCredential(error))
        await mistakes.hold(
          request ? cameFrom({ headers: presented.headers, socket: request.socket }) : '',
          presented.route,
          error,
        );
      throw error;
    }
    if (request) {
      charge(who, request);
      note?.(request, who);
    }
    return who;
  };
}

/** Shown and wrong; who showed nothing has only forgotten it. */
function isWrongCredential(error: unknown): error is HubError {
  return (
    error instanceof HubError &&
    ((error.code === 'unauthorized' && error.details['challenge'] !== undefined) ||
      error.details['signature'] === 'wrong')
  );
}

function createMistakes(log: Log, now: () => number) {
  const seen = new Map<string, { count: number; at: number }>();
  let held = 0;
  let [minute, logged] = [0, 0];

  function tell(mistake: Readonly<{ address: string; route: string; why: string; count: number }>): void {
    const current = Math.floor(now() / 60_000);
    if (current !== minute) [minute, logged] = [current, 0];
    if ((logged += 1) > LOGGED_PER_MINUTE) return;
    const more = logged === LOGGED_PER_MINUTE ? { more: 'not logged until the next minute' } : {};
    log.warn('a credential was refused', { ...mistake, ...more });
  }

  return {
    async hold(address: string, route: string, error: HubError): Promise<void> {
      const at = now();
      const before = seen.get(address);
      const count = before && at - before.at < FORGET_MS ? before.count + 1 : 1;
      seen.delete(address);
      if (seen.size >= MOST_KNOWN) seen.delete(seen.keys().next().value!);
      seen.set(address, { count, at });
      tell({ address, route: route.slice(0, 100), why: error.message, count });
      if (count <= FREE_MISTAKES) return;
      if (held >= MOST_HELD) throw tooManyWrong();
      held += 1;
      await sleep(Math.min(longestFor(address), 10 * 2 ** (count - FREE_MISTAKES)), undefined, {
        ref: false,
      }).finally(() => (held -= 1));
    },
  };
}

function tooManyWrong(): HubError {
  return new HubError('limited', 'Too many wrong credentials came from this address.', {
    hint: 'Wait a minute, then show the right one.',
  });
}

function longestFor(address: string): number {
  return LONGEST_WAIT_MS[isLoopbackName(address) ? 'here' : 'elsewhere'];
}

type Bucket = { left: number; at: number };

/** A bucket per credential. The hub token is everybody's who attaches as documented: there each connection has its own. */
function createRates(perSecond: number, now: () => number) {
  const byCredential = new Map<string, Bucket>();
  const byConnection = new WeakMap<object, Bucket>();
  const burst = perSecond * 10;

  function bucketOf({ credential, kind }: Principal, { socket }: IncomingMessage): Bucket | undefined {
    if (credential !== undefined) {
      let bucket = byCredential.get(credential);
      if (bucket) return bucket;
      if (byCredential.size >= MOST_KNOWN) byCredential.delete(byCredential.keys().next().value!);
      byCredential.set(credential, (bucket = { left: burst, at: now() }));
      return bucket;
    }
    if (kind === 'local') return undefined;
    let bucket = byConnection.get(socket);
    if (!bucket) byConnection.set(socket, (bucket = { left: burst, at: now() }));
    return bucket;
  }

  return (who: Principal, request: IncomingMessage): void => {
    const bucket = perSecond === 0 ? undefined : bucketOf(who, request);
    if (!bucket) return;
    const at = now();
    bucket.left = Math.min(burst, bucket.left + ((at - bucket.at) / 1_000) * perSecond);
    bucket.at = at;
    if (bucket.left < 1)
      throw new HubError('limited', `limit reached: calls per second is ${perSecond}`, {
        limit: 'calls',
        max: perSecond,
        hint: 'Wait a second. The operator can raise limits.calls in config.yaml.',
      });
    bucket.left -= 1;
  };
}
