// How a client that sits idle is told that something waits for it: Claude Code by the channel that it lets servers have
// (a research preview: `experimental: { "claude/channel": {} }`), everybody else by a log line.
import { clientSlug } from '../../kernel/client-name.ts';
import type { Knocks } from '../../kernel/knock.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import { wantsLevel } from './context.ts';
import type { Exchange } from './exchange.ts';
import type { ListeningConnection } from './listen.ts';

export const CHANNEL = 'claude/channel';

/** Clients that are known to have no channels: they are not offered one. */
const WITHOUT = /^(codex|gemini|opencode)/;
const CLAUDE = /^claude/;

/** Only the hub itself knows its callers by name. A client does not say whether it has channels; who has none passes over it. */
export function mayHaveChannel({ takesDefaults }: Exchange['server'], client: string): boolean {
  return takesDefaults === true && !WITHOUT.test(clientSlug(client));
}

/**
 * Claude Code can be pushed nothing in the modern era, by a channel least of all. Where it may be woken it is told that this server has only the
 * era before, which it falls back to.
 */
export function needsLegacyEra(server: Exchange['server'], client: string): boolean {
  return mayHaveChannel(server, client) && CLAUDE.test(clientSlug(client));
}

export function wake(
  { server, who, settings, caller = () => who, hasChannel }: ListeningConnection,
  knocks: Knocks,
  notify: (method: string, params?: Params) => void,
): () => void {
  if (!server.takesDefaults) return () => {};
  return knocks.listen({
    who: caller,
    hear({ text, meta }) {
      if (hasChannel) notify(`notifications/${CHANNEL}`, { content: text, meta });
      if (hasChannel && CLAUDE.test(caller().client ?? '')) return;
      if (!wantsLevel({ era: 'legacy', settings }, 'notice')) return;
      notify('notifications/message', { level: 'notice', logger: server.name, data: { text, ...meta } });
    },
  });
}
