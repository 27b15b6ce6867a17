import type { Principal } from '../../kernel/principal.ts';
import { markBrokered, mayBeServed } from '../../mcp/brokered.ts';
import type { Tool } from '../../mcp/define.ts';
import type { Registry, Server } from '../../mcp/registry.ts';
import type { ToolSource } from '../../mcp/server.ts';

/** Between the server a tool belongs to and its own name: `tasks__list_tasks`. */
export const SEPARATOR = '__';

type OwnTools = Readonly<{ self: string; own: readonly Tool[]; sources: readonly ToolSource[] }>;

/** Every tool of every other server of the registry, and the hub's own, under one roof. A server added later is in it without further ado. */
export function catalogueOf(registry: Registry, { self, own, sources }: OwnTools): ToolSource {
  const others = () => registry.all().filter(({ key }) => key !== self);
  return {
    version: (who) =>
      JSON.stringify([
        ...sources.map((source) => source.version(who)),
        ...others().map((server) => [server.key, versionOf(server, who)]),
      ]),
    async settled() {
      await Promise.all(sources.map(async (source) => source.settled?.()));
    },
    absence(name, who) {
      for (const source of sources) {
        const why = source.absence?.(name, who);
        if (why) return why;
      }
      return undefined;
    },
    absent: (who) => sources.flatMap((source) => source.absent?.(who) ?? []),
    async list(who) {
      const lists = await Promise.all(
        others().map(async (server) =>
          (await toolsOf(server, who, own)).map((tool) => renamed(server.key, tool)),
        ),
      );
      const changing = await Promise.all(sources.map(async (source) => source.list(who)));
      return [...own, ...changing.flat(), ...lists.flat()];
    },
  };
}

function versionOf({ tools }: Server, who: Principal): string {
  return isSource(tools) ? tools.version(who) : '';
}

/**
 * A tool of the hub may be a guest on a server of ours as well; here it is shown once, as the hub's. Lists that change
 * hold tools of others, where the same name says nothing: there it must do the very same.
 */
async function toolsOf({ tools }: Server, who: Principal, own: readonly Tool[]): Promise<readonly Tool[]> {
  if (isSource(tools)) {
    const handlers = new Set(own.map(({ handler }) => handler));
    return (await tools.list(who)).filter(({ handler }) => !handlers.has(handler));
  }
  const names = new Set(own.map(({ name }) => name));
  return tools.filter(({ name }) => !names.has(name));
}

function isSource(tools: Server['tools']): tools is ToolSource {
  return !Array.isArray(tools);
}

const copies = new WeakMap<Tool, Tool>();

/**
 * One copy per tool, so that what a tool list has worked out about it is kept; the broker's mark goes with
 * its handler.
 */
function renamed(server: string, tool: Tool): Tool {
  let copy = copies.get(tool);
  if (!copy) {
    // Here a caller is known by its connection, so nothing is required only to tell who it is.
    const { requiredUnlessKnown: _, ...rest } = tool;
    copy = { ...rest, name: `${server}${SEPARATOR}${tool.name}`, source: server };
    if (mayBeServed(tool)) markBrokered(copy);
    copies.set(tool, copy);
  }
  return copy;
}
