import type { ServerKey } from '../../features/attach/attachment.ts';
import type { Runtime } from '../../features/attach/runtimes.ts';
import { elapsed } from '../../kernel/clock.ts';
import type { Config } from '../../kernel/config.ts';
import { connect } from '../client.ts';
import type { World } from '../world.ts';

/** Waits for a client to introduce itself, until it has or the person stops waiting. */
export interface Watch extends AsyncDisposable {
  /** The name the client gave, or undefined when the waiting was stopped. */
  joined(): Promise<string | undefined>;
}

/** What each client calls itself when it arrives. */
const NAMES: Readonly<Record<Runtime, RegExp>> = {
  'claude-code': /claude/,
  codex: /codex/,
  openclaw: /openclaw/,
  gemini: /gemini/,
  opencode: /opencode/,
  cursor: /cursor/,
  vscode: /^(visual-studio-code|vscode|code)/,
};

export async function watchFor(
  world: World,
  config: Config,
  wanted: Readonly<{ client: Runtime; server: ServerKey }>,
): Promise<Watch> {
  const hub = await connect(world, config);
  const { eventHead } = await hub.ask('GET /api/health');
  return {
    async joined() {
      const startedAt = elapsed();
      world.tell(
        `Waiting for ${wanted.client} to join; start it or open a new session (Ctrl-C stops waiting) …`,
      );
      for await (const { event, data } of hub.follow(
        `/api/events?kinds=client.joined&since=${eventHead}`,
        world.interrupted,
      )) {
        if (event !== 'message') continue;
        const { subject, data: facts } = data;
        const name = String(facts?.['client'] ?? '');
        if (subject !== wanted.server || !NAMES[wanted.client].test(name)) continue;
        world.tell(
          `${wanted.client} has joined as ${name}, after ${Math.round((elapsed() - startedAt) / 1000)} s.`,
        );
        return name;
      }
      return undefined;
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}
