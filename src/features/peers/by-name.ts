import { type Principal, systemPrincipal } from '../../kernel/principal.ts';
import { redactValue } from '../../kernel/redact.ts';
import type { Query, Tx } from '../../store/database.ts';
import { sightOf } from './circles.ts';
import type { StoredPeer } from './peer.ts';
import type { Presence } from './presence.ts';
import { ambiguousName, emptyPane, paneTaken, unknownPeer } from './refusals.ts';
import { deregister, listPresent, register, requireOwn, type Registration } from './registry.ts';
import { changePeer, findPeer } from './rows/peers.ts';
import { isWithinWall, mailboxOfPeer, mayActAs, teamOfPeer } from './rules.ts';

/**
 * The register for clients that know peers by their pane and their name. Who is alive goes before who was.
 */

export async function peerInPane(
  q: Query,
  who: Principal,
  tmuxPane: string,
  presence: Presence,
): Promise<StoredPeer> {
  const [peer] = await inPane(q, who, tmuxPane, presence);
  if (!peer) throw emptyPane(tmuxPane);
  return peer;
}

async function inPane(q: Query, who: Principal, tmuxPane: string, presence: Presence): Promise<StoredPeer[]> {
  const there = await listPresent(q, who, { tmuxPane }, presence);
  const living = there.filter(({ status }) => status !== 'offline');
  return (living.length > 0 ? living : there).sort((a, b) => b.lastSeen - a.lastSeen);
}

export type PeerName = Readonly<{ idOrName: string; circle?: string | undefined }>;

export async function peerNamed(
  q: Query,
  who: Principal,
  { idOrName, circle }: PeerName,
  presence: Presence,
): Promise<StoredPeer> {
  const found = await findPeer(q, idOrName);
  const peer = found && (await sightOf(q, who))(found);
  if (peer) return presence.seen(peer);
  const all = await listPresent(q, who, { displayName: idOrName, circle }, presence);
  const own = all.filter((peer) => mayActAs(who, mailboxOfPeer(peer)));
  const meant = own.length > 0 ? own : all;
  const living = meant.filter(({ status }) => status !== 'offline');
  const [first, ...others] = living.length > 0 ? living : meant;
  if (!first) throw unknownPeer(idOrName);
  if (others.length > 0)
    throw ambiguousName(
      idOrName,
      [first, ...others].map(({ peerId }) => peerId),
    );
  return first;
}

/**
 * A name is an identity here: registering it again finds its peer. A pane belongs to whoever is alive in it.
 */
export async function registerNamed(
  tx: Tx,
  who: Principal,
  given: Registration,
  presence: Presence,
): Promise<StoredPeer> {
  const { displayName, tmuxPane } = given;
  const named = { ...given, agentId: who.bound.agent ?? displayName };
  if (tmuxPane === undefined) return register(tx, who, { ...named, sessionId: displayName });
  await tx.lock(`pane:${tmuxPane}`);
  // Whoever is in the pane is in it; of another team it is a pane of the same number, somewhere else.
  for (const there of await inPane(tx, systemPrincipal, tmuxPane, presence)) {
    if (there.displayName === displayName || !isWithinWall(who, teamOfPeer(there))) continue;
    if (there.status !== 'offline' || !mayActAs(who, mailboxOfPeer(there)))
      throw paneTaken(tmuxPane, there.displayName);
    await deregister(tx, who, there.peerId, presence);
  }
  return register(tx, who, named);
}

/** Adds to what is known of a peer; a sign of life as well. */
export async function describePeer(
  tx: Tx,
  who: Principal,
  peerId: string,
  facts: StoredPeer['metadata'],
): Promise<void> {
  const peer = await requireOwn(tx, who, peerId);
  await changePeer(tx, {
    ...peer,
    metadata: { ...peer.metadata, ...(redactValue(facts) as StoredPeer['metadata']) },
    lastSeen: tx.now,
  });
}
