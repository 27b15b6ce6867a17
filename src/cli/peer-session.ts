import type { Peer } from '../features/peers/peer.ts';
import type { Environment } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import type { Client } from './client.ts';

/** The session a command runs in, as far as its environment tells. */
export function sessionOf(env: Environment): string | undefined {
  return (
    env['HOLDFAST_PEER_SESSION'] || env['CLAWTOOL_PEER_SESSION'] || env['CLAUDE_SESSION_ID'] || undefined
  );
}

/** The peer that was named, or the one that this session registered. */
export async function findOwnPeer(
  client: Client,
  given: string | undefined,
  session: string | undefined,
): Promise<string> {
  if (given !== undefined) return given;
  const peers = session === undefined ? [] : await peersOfSession(client, session);
  if (peers.length === 1) return peers[0]!.peer_id;
  throw new HubError(
    'not_found',
    peers.length === 0 ? 'This session has no peer.' : 'This session has several peers.',
    {
      peers: peers.map(({ peer_id }) => peer_id),
      hint: 'Name the peer, or set HOLDFAST_PEER_SESSION to the session_id it was registered with.',
    },
  );
}

export async function peersOfSession(client: Client, session: string): Promise<Peer[]> {
  const { peers } = await client.call<{ peers: Peer[] }>('GET', '/v1/peers');
  return peers.filter(({ session_id }) => session_id === session);
}
