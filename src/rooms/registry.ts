import type { Tool } from '../mcp/define.ts';
import { createRegistry, type Registry } from '../mcp/registry.ts';
import type { ServerDefinition } from '../mcp/server.ts';
import type { Room } from './room.ts';

export function registryOf(rooms: readonly Room[]): Registry {
  return createRegistry(rooms.flatMap((room) => room.servers ?? []).map((server) => withGuests(server, rooms)));
}

/** A room may add tools to the server of another, such as file reservations to the board's. */
function withGuests(server: ServerDefinition, rooms: readonly Room[]): ServerDefinition {
  const guests = rooms.flatMap(({ guestTools }) => guestTools?.[server.key] ?? []);
  return guests.length > 0 && Array.isArray(server.tools)
    ? { ...server, tools: [...(server.tools as readonly Tool[]), ...guests] }
    : server;
}
