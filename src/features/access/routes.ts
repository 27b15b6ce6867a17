import type { Route } from '../../http/route.ts';
import { behindService, routesOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/calls.ts';
import type { Access } from './access.ts';
import { createKeys, type KeyParts } from './keys.ts';
import { keyOperations, seatOperations, tokenOperations } from './operations.ts';
import type { Seats } from './seats/seats.ts';

const tag = 'access';

export function accessRoutes(acting: Acting, access: Access, seats: Seats): Route[] {
  const ofTokens = { tag, acting, look: access.at, change: access.in, service: access };
  const ofSeats = { ...behindService(tag, acting, seats), look: seats.at };
  return [...routesOf(ofTokens, tokenOperations), ...routesOf(ofSeats, seatOperations)];
}

/** Served by the hub that holds the signing key. */
export function keyRoutes(parts: KeyParts): Route[] {
  return routesOf(behindService(tag, parts.acting, createKeys(parts)), keyOperations);
}
