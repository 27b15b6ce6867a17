import { seesTeam } from '../../../kernel/principal.ts';
import { closedCircle } from '../refusals.ts';
import { circlesOfTeam, isCircleUsed, openCircle, teamOfCircle } from '../rows/circles.ts';
import type { StoredPeer } from '../rows/peers.ts';
import { DEFAULT_CIRCLE, type MailboxKey } from '../rules.ts';
import type { PeerLook, PeerUnit } from '../unit.ts';

/**
 * Circles and teams. Whoever is bound to a team enters the default circle, where everybody is, and circles of its own
 * team; a circle belongs to the team that opened it. Callers without a team, such as the person at the hub, enter all.
 */
export async function enterCircle({ tx, who }: PeerUnit, circle: string): Promise<void> {
  const { team } = who.bound;
  if (team === undefined || circle === DEFAULT_CIRCLE) return;
  const owner = await teamOfCircle(tx, circle);
  if (owner === team) return;
  if (owner !== undefined || (await isCircleUsed(tx, circle))) throw closedCircle(circle);
  if ((await openCircle(tx, circle, team)) !== team) throw closedCircle(circle);
}

/** What a caller may see of the register. Where a peer of another team works, and how, is none of its business. */
export async function sightOf(look: PeerLook): Promise<(peer: StoredPeer) => StoredPeer | undefined> {
  const isOpen = await openCircles(look);
  return (peer) => {
    if (seesTeam(look.who, peer.team)) return peer;
    return isOpen(peer.circle)
      ? { ...peer, path: '', sessionId: '', tmuxPane: '', pid: null, metadata: {}, team: null }
      : undefined;
  };
}

/** Those circles of the mailboxes that the caller may know of. */
export async function knownCircles(look: PeerLook, boxes: readonly MailboxKey[]): Promise<string[]> {
  const isOpen = await openCircles(look);
  return [...new Set(boxes.map(({ circle }) => circle))].filter(isOpen);
}

async function openCircles({ q, who }: PeerLook): Promise<(circle: string) => boolean> {
  const { team } = who.bound;
  if (team === undefined) return () => true;
  const open = new Set([DEFAULT_CIRCLE, ...(await circlesOfTeam(q, team))]);
  return (circle) => open.has(circle);
}
