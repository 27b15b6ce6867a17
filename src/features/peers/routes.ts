import type { Route } from '../../http/route.ts';
import { routesOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/calls.ts';
import { aliasRoutes } from './alias-routes.ts';
import { inboxStream } from './mail/inbox-stream.ts';
import { mailOperations } from './mail/operations.ts';
import { behindPeers } from './operations.ts';
import type { Peers } from './peers.ts';
import { personOperations } from './person-operations.ts';
import { registerOperations } from './register/operations.ts';

/**
 * `/v1/peers`, as documented: who is registered, and their mail; and `/peers`, as the clients it is modelled
 * on know it.
 */
export function peersRoutes(acting: Acting, peers: Peers): Route[] {
  const behind = behindPeers(acting, peers);
  return [
    ...routesOf(behind, [...registerOperations, ...mailOperations]),
    inboxStream(peers),
    ...aliasRoutes(peers),
    ...routesOf(behind, personOperations),
  ];
}
