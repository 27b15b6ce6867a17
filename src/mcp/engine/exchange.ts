import type { Principal } from '../../kernel/principal.ts';
import type { McpLogLevel } from '../define.ts';
import type { Abilities } from '../protocol/abilities.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Profile } from '../server.ts';

/** How one request reaches its client while it is being worked on. */
export interface McpPeer {
  notify(method: string, params: Params): void;
  /** Absent where the client cannot be asked on this request. Rejects when the client refuses or goes away. */
  request?(method: string, params: Params, signal: AbortSignal): Promise<unknown>;
}

/** What a legacy client has set for its session. */
export type ExchangeSettings = { level: McpLogLevel | undefined; readonly watched: Set<string> };

/** Everything the engine knows about the surroundings of one request; hosts fill it in. */
export type Exchange = Readonly<{
  server: Server;
  era: Era;
  version: string;
  who: Principal;
  profile: Profile;
  can: Abilities;
  settings: ExchangeSettings;
  peer: McpPeer;
  /** The client may be woken as Claude Code is, and is told so. */
  hasChannel?: boolean;
  signal: AbortSignal;
  /** A header of the HTTP request, where the revision wants arguments mirrored in headers. */
  header?(name: string): string | undefined;
}>;

export function newSettings(level?: McpLogLevel): ExchangeSettings {
  return { level, watched: new Set() };
}
