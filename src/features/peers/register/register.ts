import { newId } from '../../../kernel/ids.ts';
import { homeTeam, type Principal } from '../../../kernel/principal.ts';
import type { Tx } from '../../../store/database.ts';
import { redact, redactValue } from '../../../kernel/redact.ts';
import { isName } from '../../../kernel/words.ts';
import { enterCircle, sightOf } from './circles.ts';
import {
  foreignPeer,
  foreignSession,
  identityTaken,
  notRegistered,
  registerFull,
  unknownPeer,
} from '../refusals.ts';
import { unaddress } from '../rows/mailbox.ts';
import { openMailbox } from '../rows/messages.ts';
import {
  changePeer,
  countPeers,
  findPeer,
  listPeers,
  lockIdentity,
  peers,
  removePeer,
  touchPeer,
  type PeerFilter,
  type PeerIdentity,
  type StoredPeer,
} from '../rows/peers.ts';
import {
  byPresence,
  DEFAULT_CIRCLE,
  isWalled,
  isWithinWall,
  mailboxOfPeer,
  MAX_PEERS,
  mayActAs,
  teamOfPeer,
} from '../rules.ts';
import type { PeerLook, PeerUnit } from '../unit.ts';
import type { PeerStatus, Role } from '../words.ts';

/** Who is alive. Presence is what was heard last; whether that is recent enough is decided when somebody asks. */

export type PeerRegistration = Readonly<{
  displayName: string;
  backend: string;
  agentId?: string | undefined;
  path?: string | undefined;
  circle?: string | undefined;
  role?: Role | undefined;
  sessionId?: string | undefined;
  tmuxPane?: string | undefined;
  pid?: number | undefined;
  metadata?: Readonly<Record<string, string>> | undefined;
}>;

/** A session that registers again finds its peer by its exact identity. One without session and pane is always a new peer. */
export async function register(unit: PeerUnit, written: PeerRegistration): Promise<StoredPeer> {
  const { tx, who } = unit;
  const given = scrubbed(written);
  const { agent: bound } = who.bound;
  if (given.agentId !== undefined && bound !== undefined && given.agentId !== bound)
    throw foreignPeer(given.agentId, bound);
  const { backend, path = '', sessionId = '', tmuxPane = '' } = given;
  const identity = { backend, path, sessionId, tmuxPane };
  const hasIdentity = sessionId !== '' || tmuxPane !== '';
  if (given.circle !== undefined) await enterCircle(unit, given.circle);
  if (hasIdentity) await tx.lock(`peer:${JSON.stringify(identity)}`);
  const known = hasIdentity ? nearest(await lockIdentity(tx, identity), who, given) : undefined;
  return known ? resume(unit, known, given) : admit(unit, given, identity);
}

/** One identity may be in several teams, such as a first pane on several machines: a credential finds its own only. */
function nearest(
  all: readonly StoredPeer[],
  who: Principal,
  given: PeerRegistration,
): StoredPeer | undefined {
  const within = all.filter((peer) => isWithinWall(who, teamOfPeer(peer)));
  return within.find(({ team }) => team === teamFor(who, given)) ?? within[0];
}

/** Whoever sits at this machine says which project a session is of; a credential knows better. */
function teamFor(who: Principal, { metadata }: PeerRegistration): string | null {
  const said = isWalled(who) ? undefined : metadata?.['team'];
  return said !== undefined && isName(said) ? said : homeTeam(who) || null;
}

async function resume(
  { tx, who }: PeerUnit,
  known: StoredPeer,
  given: PeerRegistration,
): Promise<StoredPeer> {
  const claimed = given.agentId ?? who.bound.agent ?? known.agentId;
  if (claimed !== known.agentId) throw identityTaken(known.peerId, known.agentId);
  const peer: StoredPeer = {
    ...known,
    circle: given.circle ?? known.circle,
    role: given.role ?? known.role,
    pid: given.pid ?? known.pid,
    metadata: { ...known.metadata, ...given.metadata },
    status: 'online',
    lastSeen: tx.now,
  };
  if (peer.circle !== known.circle) await unaddress(tx, known.peerId, mailboxOfPeer(known));
  await openMailbox(tx, mailboxOfPeer(peer));
  await changePeer(tx, peer);
  tell(tx, peer, { kind: 'peer.registered', data: { again: true } });
  return peer;
}

/** The register is shown to everybody: no key may lie in it, in whichever field. */
function scrubbed({ metadata, ...given }: PeerRegistration): PeerRegistration {
  const texts = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, typeof value === 'string' ? redact(value) : value]),
  );
  const clean = metadata && (redactValue(metadata) as Record<string, string>);
  return { ...(texts as typeof given), ...(clean && { metadata: clean }) };
}

async function admit(
  { tx, who }: PeerUnit,
  given: PeerRegistration,
  identity: PeerIdentity,
): Promise<StoredPeer> {
  if ((await countPeers(tx)) >= MAX_PEERS) throw registerFull(MAX_PEERS);
  const peer: StoredPeer = {
    ...identity,
    peerId: newId(),
    agentId: who.bound.agent ?? given.agentId ?? given.displayName,
    displayName: given.displayName,
    circle: given.circle ?? DEFAULT_CIRCLE,
    role: given.role ?? 'agent',
    status: 'online',
    pid: given.pid ?? null,
    metadata: given.metadata ?? {},
    team: teamFor(who, given),
    registeredAt: tx.now,
    lastSeen: tx.now,
  };
  await peers.insert(tx, peer);
  await openMailbox(tx, mailboxOfPeer(peer));
  tell(tx, peer, { kind: 'peer.registered', data: { again: false } });
  return peer;
}

export type PeerHeartbeat = Readonly<{ peerId: string; status?: PeerStatus | undefined }>;

/**
 * A sign of life that tells nothing new is kept in memory. Answers nothing when there is more to write down: another
 * status, or a peer that everybody had taken for gone.
 */
export async function noteHeartbeat(
  look: PeerLook,
  { peerId, status }: PeerHeartbeat,
): Promise<StoredPeer | undefined> {
  const { presence } = look;
  const peer = await requireOwn(look, peerId);
  const next = statusAfter(peer, status);
  if (next !== peer.status || next !== presence.seen(peer).status) return undefined;
  presence.touch(peerId);
  return presence.seen(peer);
}

function statusAfter(peer: StoredPeer, told: PeerStatus | undefined): PeerStatus {
  return told ?? (peer.status === 'offline' ? 'online' : peer.status);
}

/** Heartbeats are no events; a change of status is. */
export async function heartbeat(unit: PeerUnit, { peerId, status }: PeerHeartbeat): Promise<StoredPeer> {
  const { tx } = unit;
  const before = await requireOwn(unit, peerId);
  const next = statusAfter(before, status);
  const peer = await touchPeer(tx, peerId, next);
  if (!peer) throw notRegistered(peerId);
  if (next !== before.status) tell(tx, peer, { kind: 'peer.status_changed', data: { status: next } });
  return peer;
}

/** The session ends; mail that waited for it waits on at its agent's address. */
export async function deregister(unit: PeerUnit, peerId: string): Promise<StoredPeer> {
  const { tx, presence } = unit;
  const peer = await requireOwn(unit, peerId);
  await unaddress(tx, peer.peerId, mailboxOfPeer(peer));
  await removePeer(tx, peerId);
  tell(tx, peer, { kind: 'peer.deregistered' });
  return presence.seen(peer);
}

/** A peer that the caller may know of, whole. */
export async function knownPeer(look: PeerLook, peerId: string): Promise<StoredPeer | undefined> {
  const peer = await findPeer(look.q, peerId);
  return peer && (await sightOf(look))(peer) ? peer : undefined;
}

/** The same with what the caller may see of it. */
export async function seePeer(look: PeerLook, peerId: string): Promise<StoredPeer | undefined> {
  const found = await findPeer(look.q, peerId);
  return found && (await sightOf(look))(found);
}

export async function getPeer(look: PeerLook, peerId: string): Promise<StoredPeer> {
  const peer = await seePeer(look, peerId);
  if (!peer) throw unknownPeer(peerId);
  return look.presence.seen(peer);
}

export type PresentFilter = PeerFilter & Readonly<{ status?: PeerStatus | undefined }>;

export async function listPresent(look: PeerLook, filter: PresentFilter): Promise<StoredPeer[]> {
  const { q, presence } = look;
  const { status, ...rest } = filter;
  const see = await sightOf(look);
  const visible = (await listPeers(q, rest)).map(see).filter((peer) => peer !== undefined);
  // A folder that is not shown cannot be asked for either.
  const isAskedFor = ({ path, tmuxPane }: StoredPeer) =>
    (rest.path === undefined || path === rest.path) &&
    (rest.tmuxPane === undefined || tmuxPane === rest.tmuxPane);
  const present = visible.filter(isAskedFor).map((peer) => presence.seen(peer));
  return present.filter((peer) => status === undefined || peer.status === status).sort(byPresence);
}

export async function requireOwn(look: PeerLook, peerId: string): Promise<StoredPeer> {
  const { who } = look;
  const peer = await knownPeer(look, peerId);
  if (!peer) throw notRegistered(peerId);
  if (!isWithinWall(who, teamOfPeer(peer))) throw foreignSession(peerId);
  if (!mayActAs(who, mailboxOfPeer(peer))) throw foreignPeer(peer.agentId, who.bound.agent);
  return peer;
}

type PeerNews = Readonly<{ kind: `peer.${string}`; data?: Readonly<Record<string, string | boolean>> }>;

function tell(tx: Tx, peer: StoredPeer, { kind, data }: PeerNews): void {
  tx.emit({
    kind,
    subject: peer.peerId,
    realm: 'hub',
    ...(peer.team !== null && { team: peer.team }),
    data: { agentId: peer.agentId, backend: peer.backend, circle: peer.circle, ...data },
  });
}
