import type { Peer } from '../features/peers/peer.ts';
import type { Environment } from '../kernel/config.ts';
import { HubError } from '../kernel/errors.ts';
import type { Client } from './client.ts';
import { idEnding } from './short-id.ts';

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
  if (given !== undefined) return namedPeer(client, given);
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

/** A session by its peer_id or the end of it, as lists show it; an agent by its address, which always counts first. */
export async function namedPeer(client: Client, given: string): Promise<string> {
  if (!/^[0-9a-f-]{4,}$/i.test(given)) return given;
  const { peers } = await client.ask('GET /v1/peers');
  if (peers.some(({ agent_id: agent }) => agent === given)) return given;
  return idEnding(
    peers.map(({ peer_id: id }) => id),
    given,
    'sessions',
  );
}

async function peersOfSession(client: Client, session: string): Promise<Peer[]> {
  const { peers } = await client.ask('GET /v1/peers');
  return peers.filter(({ session_id }) => session_id === session);
}
