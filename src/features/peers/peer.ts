import { z } from 'zod';
import type { StoredPeer } from './rows/peers.ts';
import { ROLES, STATUSES } from './words.ts';

const instant = z.iso.datetime();

export const peerSchema = z.object({
  peer_id: z.string(),
  agent_id: z
    .string()
    .describe('The durable address: mail for it waits, whichever session comes to fetch it.'),
  display_name: z.string(),
  path: z.string().optional(),
  backend: z.string(),
  circle: z.string(),
  role: z.enum(ROLES),
  status: z.enum(STATUSES).describe('offline also when nothing was heard for a minute.'),
  session_id: z.string().optional(),
  tmux_pane: z.string().optional(),
  pid: z.int().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
  team: z.string().optional().describe('Shown to its team, and to the person at the hub.'),
  registered_at: instant,
  last_seen: instant,
});
export type Peer = z.infer<typeof peerSchema>;

export function presentPeer(peer: StoredPeer): Peer {
  return {
    peer_id: peer.peerId,
    agent_id: peer.agentId,
    display_name: peer.displayName,
    ...(peer.path !== '' && { path: peer.path }),
    backend: peer.backend,
    circle: peer.circle,
    role: peer.role,
    status: peer.status,
    ...(peer.sessionId !== '' && { session_id: peer.sessionId }),
    ...(peer.tmuxPane !== '' && { tmux_pane: peer.tmuxPane }),
    ...(peer.pid !== null && { pid: peer.pid }),
    ...(Object.keys(peer.metadata).length > 0 && { metadata: peer.metadata }),
    ...(peer.team !== null && { team: peer.team }),
    registered_at: new Date(peer.registeredAt).toISOString(),
    last_seen: new Date(peer.lastSeen).toISOString(),
  };
}
