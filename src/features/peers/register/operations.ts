import { z } from 'zod';
import { change, look, work } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import { peerSchema } from '../peer.ts';
import type { PeerDesk, Peers, PeerView } from '../peers.ts';
import { senderNamed } from '../rules.ts';

/** `/v1/peers`, as documented: who is registered. */
const reading = { scope: 'peers:read', refusals: ['not_found', 'unavailable'] } as const;
const writing = { scope: 'peers:write', refusals: ['not_found', 'unavailable'] } as const;

const list = look({
  ...reading,
  name: 'list_peers',
  summary: 'Who is registered: online first, then busy, then offline.',
  input: input.queryFilters,
  output: z.object({ peers: z.array(peerSchema), count: z.int(), as_of: z.iso.datetime() }),
  route: 'GET /v1/peers',
  async run(view: PeerView, filter) {
    const peers = await view.list(filter);
    return { peers, count: peers.length, as_of: new Date(view.now).toISOString() };
  },
});

const register = change({
  name: 'register_peer',
  summary: 'Register a session, or find it again by its session_id or tmux_pane.',
  scope: 'peers:write',
  refusals: ['conflict', 'limited', 'unavailable'],
  input: input.registration,
  isLoose: true,
  output: peerSchema,
  route: 'POST /v1/peers/register',
  agentOf: (given, who) => senderNamed(who, given.agent_id ?? given.display_name),
  run: (desk: PeerDesk, given) =>
    desk.register({
      displayName: given.display_name,
      backend: given.backend,
      agentId: given.agent_id,
      path: given.path,
      circle: given.circle,
      role: given.role,
      sessionId: given.session_id,
      tmuxPane: given.tmux_pane,
      pid: given.pid,
      metadata: given.metadata,
    }),
});

const inPane = look({
  ...reading,
  name: 'find_pane',
  summary: 'Who is in a pane of tmux: the living before those who were.',
  input: { pane: input.pane },
  output: peerSchema,
  route: 'GET /v1/peers/by-pane/:pane',
  run: (view: PeerView, { pane }) => view.inPane(pane),
});

const show = look({
  ...reading,
  name: 'show_peer',
  summary: 'Show one peer.',
  input: { peerId: input.peerId },
  output: peerSchema,
  route: 'GET /v1/peers/:peerId',
  run: (view: PeerView, { peerId }) => view.get(peerId),
});

const deregister = change({
  ...writing,
  name: 'deregister_peer',
  summary: 'Deregister a session. Mail that waits for it stays with its agent.',
  input: { peerId: input.peerId },
  output: peerSchema,
  route: 'DELETE /v1/peers/:peerId',
  run: (desk: PeerDesk, { peerId }) => desk.deregister(peerId),
});

const heartbeat = work({
  ...writing,
  name: 'peer_heartbeat',
  summary: 'A sign of life every half minute; after a minute of silence a peer counts as offline.',
  effect: 'state',
  input: { peerId: input.peerId, status: input.status.optional() },
  isLoose: true,
  output: peerSchema,
  route: 'POST /v1/peers/:peerId/heartbeat',
  run: (peers: Peers, { peerId, status }, { who, via }) => peers.beat({ who, via }, { peerId, status }),
});

export const registerOperations = [list, register, inPane, show, deregister, heartbeat] as const;
