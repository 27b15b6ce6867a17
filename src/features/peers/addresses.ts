import { HubError } from '../../kernel/errors.ts';
import { homeTeam, type Principal } from '../../kernel/principal.ts';
import type { Query } from '../../store/database.ts';
import { knownCircles } from './register/circles.ts';
import { ambiguous, foreignPeer, namelessReader, otherCircle, unknownPeer } from './refusals.ts';
import { knownPeer } from './register/register.ts';
import type { MailReader } from './rows/mailbox.ts';
import { mailboxesNamed } from './rows/messages.ts';
import { listPeers, type StoredPeer } from './rows/peers.ts';
import {
  DEFAULT_CIRCLE,
  isWithinWall,
  mailboxOfPeer,
  type MailboxKey,
  mayActAs,
  NO_TEAM,
  ownAgent,
  PERSON,
  teamOfPeer,
} from './rules.ts';
import type { PeerLook } from './unit.ts';

/** Whose mailbox an id means: that of a registered session, or the durable address of an agent. */
export type Address = MailboxKey & Readonly<{ peer: StoredPeer | undefined }>;

/** A mailbox as somebody named it, and what narrows it down; one's own unless it is named. */
export type Addressed = Readonly<{
  id?: string | undefined;
  circle?: string | undefined;
  team?: string | undefined;
}>;

/** Where a letter goes. A name means the one of the sender's own team before it means anybody else. */
export async function resolveAddress(
  look: PeerLook,
  { id, team }: Readonly<{ id: string; team: string | undefined }>,
  { circles, team: ownTeam }: Sender,
): Promise<Address> {
  const { q, who } = look;
  if (team !== undefined && !isWithinWall(who, team)) throw unknownPeer(id);
  const peer = await knownPeer(look, id);
  if (peer) {
    if (circles && !circles.includes(peer.circle)) throw otherCircle(peer.circle, circles.join(', '));
    return { ...mailboxOfPeer(peer), peer };
  }
  const named = (await mailboxesNamed(q, id)).filter((box) => team === undefined || box.team === team);
  const reachable = circles ? named.filter(({ circle }) => circles.includes(circle)) : named;
  if (reachable.length > 0) {
    const nearest = circles ? nearestTo(reachable, ownTeam) : ofProject(reachable, who);
    return { ...(await onlyOne(q, nearest, isWithinWall(who, NO_TEAM))), peer: undefined };
  }
  const known = await knownCircles(look, named);
  if (known.length > 0) throw otherCircle(known.join(', '), circles!.join(', '));
  throw unknownPeer(id);
}

/** Those of the team, else those of none, else all. */
function nearestTo(boxes: readonly MailboxKey[], team: string): readonly MailboxKey[] {
  const near = [team, NO_TEAM].map((each) => boxes.filter((box) => box.team === each));
  return near.find((some) => some.length > 0) ?? boxes;
}

/** Whoever may open all of them means first those of the project it works in. */
function ofProject(boxes: readonly MailboxKey[], who: Principal): readonly MailboxKey[] {
  const home = homeTeam(who);
  const own = home === NO_TEAM ? [] : boxes.filter(({ team }) => team === home);
  return own.length > 0 ? own : boxes;
}

/** An address that an agent has left behind does not make the one where it is now ambiguous. */
async function onlyOne(q: Query, boxes: readonly MailboxKey[], seesTeams: boolean): Promise<MailboxKey> {
  if (boxes.length === 1) return boxes[0]!;
  const present = await presentIn(q, boxes);
  if (present.length !== 1) throw ambiguous(boxes, seesTeams);
  return present[0]!;
}

/** Those of the mailboxes of one agent for which a session of it is registered. */
export async function presentIn(q: Query, boxes: readonly MailboxKey[]): Promise<readonly MailboxKey[]> {
  const agentIds = [...new Set(boxes.map(({ agentId }) => agentId))];
  if (agentIds.length === 0) return [];
  const registered = await listPeers(q, { agentIds });
  return boxes.filter((box) =>
    registered.some((peer) => peer.circle === box.circle && teamOfPeer(peer) === box.team),
  );
}

/** Who sends. `circles` are those it may write to; undefined for the person at the hub, who may write to all. */
export type Sender = Readonly<{
  team: string;
  agentId: string;
  peerId: string | null;
  circles: readonly string[] | undefined;
  asserted: boolean;
  /** Whom it wakes when it writes to a mailbox of this team; nobody where nothing is said. */
  mayWake?(team: string): boolean;
}>;

export async function resolveSender(look: PeerLook, fromPeer: string | undefined): Promise<Sender> {
  const { who } = look;
  const bound = who.bound.agent;
  const peer = fromPeer === undefined ? undefined : await knownPeer(look, fromPeer);
  if (peer) {
    if (!mayActAs(who, mailboxOfPeer(peer))) throw foreignPeer(peer.agentId, bound);
    const { team, circle, agentId } = mailboxOfPeer(peer);
    return { team, agentId, peerId: peer.peerId, circles: [circle], asserted: bound === undefined };
  }
  if (bound !== undefined && fromPeer !== undefined && fromPeer !== bound) throw foreignPeer(fromPeer, bound);
  const agentId = bound ?? fromPeer ?? ownAgent(who);
  if (agentId !== undefined)
    return { ...(await sendsAs(look, agentId)), peerId: null, asserted: bound === undefined };
  if (who.bound.team === undefined)
    return { team: NO_TEAM, agentId: PERSON, peerId: null, circles: undefined, asserted: false };
  throw new HubError('invalid', 'no bound identity: pass from_peer', {
    hint: 'This credential names a team and no agent: say who of it sends.',
  });
}

/** At this machine a name may be that of any team; the project one works in goes first. */
async function sendsAs(
  { q, who }: PeerLook,
  agentId: string,
): Promise<Pick<Sender, 'team' | 'agentId' | 'circles'>> {
  const home = homeTeam(who);
  const within = (await mailboxesNamed(q, agentId)).filter(({ team }) => isWithinWall(who, team));
  const boxes = isGivenName(who, agentId)
    ? within.filter(({ team }) => team === home)
    : nearestTo(within, home);
  const [team = home, ...others] = new Set(boxes.map((box) => box.team));
  if (others.length > 0) throw ambiguous(boxes, true);
  return {
    team,
    agentId,
    circles: boxes.length === 0 ? [DEFAULT_CIRCLE] : boxes.map(({ circle }) => circle),
  };
}

/** A name that the hub gave is one of its project; in another it is somebody else's. */
function isGivenName({ bound, default: taken }: Principal, agentId: string): boolean {
  return bound.agent === undefined && taken?.agent === agentId;
}

/** The mailbox that this caller may open under the id. Its own is there, and empty, before anybody has written to it. */
export async function resolveReader(
  look: PeerLook,
  { id = ownAgent(look.who), circle, team }: Addressed,
): Promise<MailReader> {
  const { q, who } = look;
  if (id === undefined) throw namelessReader();
  if (team !== undefined && !isWithinWall(who, team)) throw unknownPeer(id);
  const peer = await knownPeer(look, id);
  if (peer) return readerOf(who, peer, circle);
  const isOwn = id === (ownAgent(who) ?? PERSON);
  const home = team ?? homeTeam(who);
  const isOpen = (box: MailboxKey) =>
    isWithinWall(who, box.team) &&
    (team === undefined || box.team === team) &&
    (!isGivenName(who, id) || box.team === home);
  const open = (await mailboxesNamed(q, id)).filter(isOpen);
  if (open.length === 0 && !isOwn) throw unknownPeer(id);
  if (open.length === 0)
    return { team: home, circle: circle ?? DEFAULT_CIRCLE, agentId: id, peerId: undefined };
  if (!isOwn && who.bound.agent !== undefined) throw foreignPeer(id, who.bound.agent);
  const there = circle === undefined ? open : open.filter((box) => box.circle === circle);
  if (there.length === 0) throw otherCircle(circlesIn(open), circle!);
  const nearest = isOwn ? nearestTo(there, home) : ofProject(there, who);
  return { ...(await onlyOne(q, nearest, true)), peerId: undefined };
}

function readerOf(who: Principal, peer: StoredPeer, circle: string | undefined): MailReader {
  const box = mailboxOfPeer(peer);
  if (!isWithinWall(who, box.team)) throw unknownPeer(peer.peerId);
  if (!mayActAs(who, box)) throw foreignPeer(box.agentId, who.bound.agent);
  if (circle !== undefined && circle !== box.circle) throw otherCircle(box.circle, circle);
  return { ...box, peerId: peer.peerId };
}

function circlesIn(boxes: readonly MailboxKey[]): string {
  return [...new Set(boxes.map(({ circle }) => circle))].join(', ');
}
