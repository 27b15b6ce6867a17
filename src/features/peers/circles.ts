import type { Principal } from '../../kernel/principal.ts';
import type { Query, Tx } from '../../store/database.ts';
import type { StoredPeer } from './peer.ts';
import { closedCircle } from './refusals.ts';
import { circlesOfTeam, isCircleUsed, openCircle, teamOfCircle } from './rows/circles.ts';
import { DEFAULT_CIRCLE, type MailboxKey } from './rules.ts';

/**
 * Circles and teams. Whoever is bound to a team enters the default circle, where everybody is, and circles of its own
 * team; a circle belongs to the team that opened it. Callers without a team, such as the person at the hub, enter all.
 */
export async function enterCircle(tx: Tx, { bound }: Principal, circle: string): Promise<void> {
  if (bound.team === undefined || circle === DEFAULT_CIRCLE) return;
  const owner = await teamOfCircle(tx, circle);
  if (owner === bound.team) return;
  if (owner !== undefined || (await isCircleUsed(tx, circle))) throw closedCircle(circle);
  if ((await openCircle(tx, circle, bound.team)) !== bound.team) throw closedCircle(circle);
}

/** What a caller may see of the register. Where a peer of another team works, and how, is none of its business. */
export async function sightOf(
  q: Query,
  { bound }: Principal,
): Promise<(peer: StoredPeer) => StoredPeer | undefined> {
  const { team } = bound;
  if (team === undefined) return (peer) => peer;
  const open = new Set([DEFAULT_CIRCLE, ...(await circlesOfTeam(q, team))]);
  return (peer) => {
    if (peer.team === team) return peer;
    return open.has(peer.circle)
      ? { ...peer, path: '', sessionId: '', tmuxPane: '', pid: null, metadata: {}, team: null }
      : undefined;
  };
}

/** Those circles of the mailboxes that the caller may know of. */
export async function knownCircles(
  q: Query,
  who: Principal,
  boxes: readonly MailboxKey[],
): Promise<readonly string[]> {
  const { team } = who.bound;
  const open = team === undefined ? undefined : new Set([DEFAULT_CIRCLE, ...(await circlesOfTeam(q, team))]);
  return [...new Set(boxes.map(({ circle }) => circle))].filter((circle) => open?.has(circle) ?? true);
}
