import { realpath } from 'node:fs/promises';
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import type { Principal } from '../../kernel/principal.ts';
import * as input from './inputs.ts';
import type { Peer } from './peer.ts';
import {
  isBeyondCircles,
  newPeerSchema,
  type PeerInfo,
  peerInfoSchema,
  toPeerInfo,
  toRegistration,
} from './register/peer-info.ts';
import type { Peers } from './peers.ts';
import { senderNamed } from './rules.ts';

/**
 * The register at `/peers`: for dashboards of the system that `/v1/peers` is modelled on, in its own shapes.
 */
const common = { tag: 'peers', refusals: ['not_found', 'conflict', 'unavailable'] } as const;
const named = z.object({ name: input.peerId });
const inCircle = z.object({ circle: input.blankable(200).optional() });
const ok = z.object({ ok: z.literal(true) });
const OK = { ok: true } as const;

type Named = Readonly<{ params: { name: string }; query: { circle?: string | undefined } }>;

export function aliasRoutes(peers: Peers): Route[] {
  const calledBy = (who: Principal) => ({ who, via: 'route' }) as const;
  const find = ({ params, query }: Named, who: Principal) =>
    peers.look(calledBy(who), (view) => view.named({ idOrName: params.name, circle: query.circle }));
  const beat = async (given: Named, who: Principal, status?: 'offline') => {
    const { peer_id: peerId } = await find(given, who);
    await peers.change(calledBy(who), (desk) => desk.heartbeat({ peerId, status }));
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path: '/peers',
      summary: 'Who is registered. `online` includes busy; a circle includes those who belong to none.',
      scope: 'peers:read',
      query: z.object({ ...input.queryFilters, status: z.enum(['online', 'offline', '']).optional() }),
      response: z.object({ peers: z.array(peerInfoSchema) }),
      async handler({ query: { status, path, circle, backend } }, { who }) {
        const all = await peers.look(calledBy(who), (view) => view.list({ backend }));
        const found = (await within(path, all)).map(toPeerInfo);
        return { peers: found.filter((peer) => hasStatus(peer, status) && isSeenFrom(peer, circle)) };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/peers',
      summary: 'Register a session under its name, or find it again.',
      scope: 'peers:write',
      body: newPeerSchema,
      response: ok.extend({ peer_id: z.string(), display_name: z.string() }),
      async handler({ body }, { who }) {
        const call = { ...calledBy(who), agentId: senderNamed(who, body.name) };
        const peer = await peers.change(call, (desk) => desk.registerNamed(toRegistration(body)));
        return { ...OK, peer_id: peer.peer_id, display_name: peer.display_name };
      },
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/peers/by-pane/:pane',
      summary: 'Who is in a pane of tmux.',
      scope: 'peers:read',
      params: z.object({ pane: input.pane }),
      response: peerInfoSchema,
      handler: async ({ params }, { who }) =>
        toPeerInfo(await peers.look(calledBy(who), (view) => view.inPane(params.pane))),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: '/peers/:name',
      summary: 'Show one peer, by its id or its name.',
      scope: 'peers:read',
      params: named,
      query: inCircle,
      response: peerInfoSchema,
      handler: async (given, { who }) => toPeerInfo(await find(given, who)),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: '/peers/:name',
      summary: 'Deregister a session. Mail that waits for it stays with its agent.',
      scope: 'peers:write',
      params: named,
      query: inCircle,
      response: ok,
      async handler(given, { who }) {
        const { peer_id } = await find(given, who);
        await peers.change(calledBy(who), (desk) => desk.deregister(peer_id));
        return OK;
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/peers/:name/touch',
      summary: 'A sign of life.',
      scope: 'peers:write',
      params: named,
      query: inCircle,
      body: z.looseObject({}).optional(),
      response: ok,
      async handler(given, { who }) {
        await beat(given, who);
        return OK;
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/peers/:name/offline',
      summary: 'The session has ended; it stays registered.',
      scope: 'peers:write',
      params: named,
      query: inCircle,
      body: z.looseObject({}).optional(),
      response: ok.extend({ cancelled_queries: z.int().describe('0: mail waits on, nothing is cancelled.') }),
      async handler(given, { who }) {
        await beat(given, who, 'offline');
        return { ...OK, cancelled_queries: 0 };
      },
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: '/peers/:name/description',
      summary: 'Say what a session is doing.',
      scope: 'peers:write',
      params: named,
      query: inCircle,
      body: z.looseObject({ description: z.string().max(1000) }),
      response: ok,
      async handler({ body: { description }, ...given }, { who }) {
        const { peer_id } = await find(given, who);
        await peers.change(calledBy(who), (desk) => desk.describe(peer_id, { description }));
        return OK;
      },
    }),
  ];
}

function hasStatus({ status }: PeerInfo, wanted: 'online' | 'offline' | '' | undefined): boolean {
  if (!wanted) return true;
  return wanted === 'offline' ? status === 'offline' : status !== 'offline';
}

function isSeenFrom(peer: PeerInfo, circle: string | undefined): boolean {
  return circle === undefined || circle === '*' || peer.circle === circle || isBeyondCircles(peer);
}

/** One folder may be written in several ways; what counts is where it leads. */
async function within(path: string | undefined, all: readonly Peer[]): Promise<readonly Peer[]> {
  if (path === undefined) return all;
  const wanted = await locate(path);
  const paths = [...new Set(all.flatMap((peer) => peer.path ?? []))];
  const located = new Map(await Promise.all(paths.map(async (each) => [each, await locate(each)] as const)));
  return all.filter((peer) => peer.path !== undefined && located.get(peer.path) === wanted);
}

/** A folder on another machine, or one that is gone, is compared as it is written. */
function locate(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}
