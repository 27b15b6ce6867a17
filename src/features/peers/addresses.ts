import type { Principal } from '../../kernel/principal.ts';
import type { Query } from '../../store/database.ts';
import type { StoredPeer } from './peer.ts';
import { mayOpen } from './circles.ts';
import { ambiguous, closedCircle, foreignPeer, otherCircle, unknownPeer } from './refusals.ts';
import type { MailReader } from './rows/mailbox.ts';
import { circlesOf } from './rows/messages.ts';
import { findPeer, listPeers } from './rows/peers.ts';
import { DEFAULT_CIRCLE, mayActAs, ownAgent, PERSON } from './rules.ts';

/** Whose mailbox an id means: that of a registered session, or the durable address of an agent. */
export type Address = Readonly<{ circle: string; agentId: string; peer: StoredPeer | undefined }>;

export async function resolveAddress(
  q: Query,
  id: string,
  circles: readonly string[] | undefined,
): Promise<Address> {
  const peer = await findPeer(q, id);
  if (peer) {
    if (circles && !circles.includes(peer.circle)) throw otherCircle(peer.circle, circles.join(', '));
    return { circle: peer.circle, agentId: peer.agentId, peer };
  }
  const all = await circlesOf(q, id);
  const reachable = circles ? all.filter((circle) => circles.includes(circle)) : all;
  if (reachable.length > 0)
    return { circle: await onlyCircle(q, id, reachable), agentId: id, peer: undefined };
  if (all.length > 0) throw otherCircle(all.join(', '), circles!.join(', '));
  throw unknownPeer(id);
}

/** An address that an agent has left behind does not make the one where it is now ambiguous. */
async function onlyCircle(q: Query, agentId: string, circles: readonly string[]): Promise<string> {
  if (circles.length === 1) return circles[0]!;
  const present = await presentIn(q, agentId, circles);
  if (present.length !== 1) throw ambiguous(agentId, circles);
  return present[0]!;
}

/** Those of the circles in which a session of the agent is registered. */
export async function presentIn(
  q: Query,
  agentId: string,
  circles: readonly string[],
): Promise<readonly string[]> {
  const registered = new Set((await listPeers(q, { agentIds: [agentId] })).map(({ circle }) => circle));
  return circles.filter((circle) => registered.has(circle));
}

/** Who sends. `circles` are those it may write to; undefined for the person at the hub, who may write to all. */
export type Sender = Readonly<{
  agentId: string;
  peerId: string | null;
  circles: readonly string[] | undefined;
  asserted: boolean;
}>;

export async function resolveSender(q: Query, who: Principal, fromPeer: string | undefined): Promise<Sender> {
  const bound = who.bound.agent;
  const peer = fromPeer === undefined ? undefined : await findPeer(q, fromPeer);
  if (peer) {
    if (!mayActAs(who, peer.agentId)) throw foreignPeer(peer.agentId, bound);
    return {
      agentId: peer.agentId,
      peerId: peer.peerId,
      circles: [peer.circle],
      asserted: bound === undefined,
    };
  }
  if (bound !== undefined) {
    if (fromPeer !== undefined && fromPeer !== bound) throw foreignPeer(fromPeer, bound);
    return { agentId: bound, peerId: null, circles: await homesOf(q, bound), asserted: false };
  }
  const named = fromPeer ?? ownAgent(who);
  if (named !== undefined)
    return { agentId: named, peerId: null, circles: await homesOf(q, named), asserted: true };
  return { agentId: PERSON, peerId: null, circles: undefined, asserted: false };
}

/** An agent that never registered lives in the default circle. */
export async function homesOf(q: Query, agentId: string): Promise<readonly string[]> {
  const circles = await circlesOf(q, agentId);
  return circles.length === 0 ? [DEFAULT_CIRCLE] : circles;
}

/** The mailbox that this caller may open under the id. Its own is there, and empty, before anybody has written to it. */
export async function resolveReader(
  q: Query,
  who: Principal,
  id: string,
  circle: string | undefined,
): Promise<MailReader> {
  if (id === (ownAgent(who) ?? PERSON) && (await circlesOf(q, id)).length === 0)
    return { circle: circle ?? DEFAULT_CIRCLE, agentId: id, peerId: undefined };
  const address = await resolveAddress(q, id, circle === undefined ? undefined : [circle]);
  if (!mayActAs(who, address.agentId)) throw foreignPeer(address.agentId, who.bound.agent);
  if (!(await mayOpen(q, who, address.circle))) throw closedCircle(address.circle);
  return { circle: address.circle, agentId: address.agentId, peerId: address.peer?.peerId };
}
