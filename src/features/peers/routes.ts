import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { aliasRoutes } from './alias-routes.ts';
import * as input from './inputs.ts';
import { mailRoutes } from './mail-routes.ts';
import { peerSchema } from './peer.ts';
import { personRoutes } from './person-routes.ts';
import { requirePeers, senderOf, type PeersHouse } from './ready.ts';
import { inboxStream } from './inbox-stream.ts';

/**
 * `/v1/peers`, as documented: who is registered, and their mail; and `/peers`, as the clients it is modelled
 * on know it.
 */
export function peersRoutes(house: PeersHouse): Route[] {
  return [
    ...registerRoutes(house),
    ...mailRoutes(house),
    inboxStream(house),
    ...aliasRoutes(house),
    ...personRoutes(house),
  ];
}

const onePeer = z.object({ peerId: input.peerId });
const place = { tag: 'peers', refusals: ['not_found', 'unavailable'] } as const;

function registerRoutes(house: PeersHouse): Route[] {
  const { db, acting } = house;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers',
      summary: 'Who is registered: online first, then busy, then offline.',
      scope: 'peers:read',
      query: z.object(input.queryFilters),
      response: z.object({ peers: z.array(peerSchema), count: z.int(), as_of: z.iso.datetime() }),
      async handler({ query }, { who }) {
        const peers = requirePeers(house);
        const found = await db.read((q) => peers.list(q, who, query));
        return { peers: found, count: found.length, as_of: new Date(db.now()).toISOString() };
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/v1/peers/register',
      summary: 'Register a session, or find it again by its session_id or tmux_pane.',
      scope: 'peers:write',
      refusals: ['conflict', 'limited', 'unavailable'],
      body: input.registration,
      response: peerSchema,
      async handler({ body }, { who }) {
        const peers = requirePeers(house);
        const given = {
          displayName: body.display_name,
          backend: body.backend,
          agentId: body.agent_id,
          path: body.path,
          circle: body.circle,
          role: body.role,
          sessionId: body.session_id,
          tmuxPane: body.tmux_pane,
          pid: body.pid,
          metadata: body.metadata,
        };
        return acting.change(senderOf(byRoute(who, 'peers'), body.agent_id ?? body.display_name), (tx) =>
          peers.register(tx, who, given),
        );
      },
    }),
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers/by-pane/:pane',
      summary: 'Who is in a pane of tmux: the living before those who were.',
      scope: 'peers:read',
      params: z.object({ pane: input.pane }),
      response: peerSchema,
      async handler({ params }, { who }) {
        const peers = requirePeers(house);
        return db.read((q) => peers.inPane(q, who, params.pane));
      },
    }),
    defineRoute({
      ...place,
      method: 'GET',
      path: '/v1/peers/:peerId',
      summary: 'Show one peer.',
      scope: 'peers:read',
      params: onePeer,
      response: peerSchema,
      async handler({ params }, { who }) {
        const peers = requirePeers(house);
        return db.read((q) => peers.get(q, who, params.peerId));
      },
    }),
    defineRoute({
      ...place,
      method: 'DELETE',
      path: '/v1/peers/:peerId',
      summary: 'Deregister a session. Mail that waits for it stays with its agent.',
      scope: 'peers:write',
      params: onePeer,
      response: peerSchema,
      async handler({ params }, { who }) {
        const peers = requirePeers(house);
        return acting.change(byRoute(who, 'peers'), (tx) => peers.deregister(tx, who, params.peerId));
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/v1/peers/:peerId/heartbeat',
      summary: 'A sign of life every half minute; after a minute of silence a peer counts as offline.',
      scope: 'peers:write',
      params: onePeer,
      body: z.looseObject({ status: input.status.optional() }).optional(),
      response: peerSchema,
      async handler({ params, body }, { who }) {
        const peers = requirePeers(house);
        const beat = { peerId: params.peerId, status: body?.status };
        const noted = await db.read((q) => peers.noteHeartbeat(q, who, beat));
        return noted ?? acting.change(byRoute(who, 'peers'), (tx) => peers.heartbeat(tx, who, beat));
      },
    }),
  ];
}
