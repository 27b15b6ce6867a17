import { systemPrincipal } from '../../../kernel/principal.ts';
import { redactValue } from '../../../kernel/redact.ts';
import { ambiguousName, emptyPane, paneTaken, unknownPeer } from '../refusals.ts';
import {
  deregister,
  listPresent,
  register,
  requireOwn,
  seePeer,
  type PeerRegistration,
} from '../register/register.ts';
import { changePeer, type StoredPeer } from '../rows/peers.ts';
import { isWithinWall, mailboxOfPeer, mayActAs, teamOfPeer } from '../rules.ts';
import type { PeerLook, PeerUnit } from '../unit.ts';

/**
 * The register for clients that know peers by their pane and their name. Who is alive goes before who was.
 */

export async function peerInPane(look: PeerLook, tmuxPane: string): Promise<StoredPeer> {
  const [peer] = await inPane(look, tmuxPane);
  if (!peer) throw emptyPane(tmuxPane);
  return peer;
}

async function inPane(look: PeerLook, tmuxPane: string): Promise<StoredPeer[]> {
  const there = await listPresent(look, { tmuxPane });
  const living = there.filter(({ status }) => status !== 'offline');
  return (living.length > 0 ? living : there).sort((a, b) => b.lastSeen - a.lastSeen);
}

export type PeerName = Readonly<{ idOrName: string; circle?: string | undefined }>;

export async function peerNamed(look: PeerLook, { idOrName, circle }: PeerName): Promise<StoredPeer> {
  const peer = await seePeer(look, idOrName);
  if (peer) return look.presence.seen(peer);
  const all = await listPresent(look, { displayName: idOrName, circle });
  const own = all.filter((peer) => mayActAs(look.who, mailboxOfPeer(peer)));
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
export async function registerNamed(unit: PeerUnit, given: PeerRegistration): Promise<StoredPeer> {
  const { tx, who } = unit;
  const { displayName, tmuxPane } = given;
  const named = { ...given, agentId: who.bound.agent ?? displayName };
  if (tmuxPane === undefined) return register(unit, { ...named, sessionId: displayName });
  await tx.lock(`pane:${tmuxPane}`);
  // Whoever is in the pane is in it; of another team it is a pane of the same number, somewhere else.
  for (const there of await inPane({ ...unit, who: systemPrincipal }, tmuxPane)) {
    if (there.displayName === displayName || !isWithinWall(who, teamOfPeer(there))) continue;
    if (there.status !== 'offline' || !mayActAs(who, mailboxOfPeer(there)))
      throw paneTaken(tmuxPane, there.displayName);
    await deregister(unit, there.peerId);
  }
  return register(unit, named);
}

/** Adds to what is known of a peer; a sign of life as well. */
export async function describePeer(
  unit: PeerUnit,
  peerId: string,
  facts: StoredPeer['metadata'],
): Promise<void> {
  const { tx } = unit;
  const peer = await requireOwn(unit, peerId);
  await changePeer(tx, {
    ...peer,
    metadata: { ...peer.metadata, ...(redactValue(facts) as StoredPeer['metadata']) },
    lastSeen: tx.now,
  });
}
