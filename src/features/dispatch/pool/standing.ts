// What a runner says it is, and how far it is believed.
import { HubError } from '../../../kernel/errors.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { VERSION } from '../../../kernel/version.ts';
import type { Query } from '../../../store/database.ts';
import { ATTEMPT_LEASE_MS, holderOf, openAttemptsOf } from '../rows/attempts.ts';
import type { Attempt } from '../run.ts';
import { findRunner, type Runner } from './rows.ts';
import { MOST_SLOTS, type RunnerOffer } from './wire.ts';

export type RunnerStanding = Readonly<{ runner: Runner | undefined; open: readonly Attempt[] }>;

export async function standingOf(q: Query, name: string): Promise<RunnerStanding> {
  return { runner: await findRunner(q, name), open: await openAttemptsOf(q, holderOf(name)) };
}

/** Its own word about slots is a bound, not a right: what it has is counted here. */
export function hasRoom({ runner, open }: RunnerStanding): boolean {
  return runner !== undefined && !runner.drained && open.length < Math.min(runner.slots, MOST_SLOTS);
}

type Place = Pick<Runner, 'process' | 'machine'>;

/** A folder that was copied to another machine is another runner; one machine may be called anew, or begin anew. */
export function isSameRunner(known: Place, now: Place): boolean {
  const [[host, boot], [hostNow, bootNow]] = [known.machine.split(' '), now.machine.split(' ')];
  return known.process === now.process && (host === hostNow || boot === bootNow);
}

export function requireUnheard(
  known: Runner | undefined,
  now: Place & Readonly<{ name: string; at: number }>,
) {
  if (!known || isSameRunner(known, now) || now.at - known.seenAt >= ATTEMPT_LEASE_MS) return;
  throw new HubError('conflict', `Another runner is called ${now.name}, and was heard just now.`, {
    hint: 'Make a token of its own for each: `holdfast token create --runner NAME`.',
  });
}

/** The name of its token is its name. */
export function requireRunner({ bound }: Principal): string {
  if (bound.agent !== undefined) return bound.agent;
  throw new HubError('forbidden', 'Only a runner takes runs.', {
    hint: 'Make it a token: `holdfast token create --runner NAME`.',
  });
}

export function requireVersion(version: string): void {
  if (version === VERSION) return;
  throw new HubError('conflict', `This hub is Holdfast ${VERSION}, the runner ${version.slice(0, 32)}.`, {
    hub: VERSION,
    runner: version.slice(0, 32),
    hint: 'Install the same version on both.',
  });
}

export function rowOf(
  name: string,
  offer: RunnerOffer,
  more: Pick<Runner, 'hub' | 'tokenId' | 'seenAt'>,
): Runner {
  const { process, machine, system, version, agents, labels, projects } = offer;
  const slots = Math.min(offer.slots, MOST_SLOTS);
  return {
    name,
    process,
    machine,
    system,
    version,
    slots,
    agents,
    labels,
    projects,
    drained: false,
    ...more,
  };
}
