import { hasScope } from '../kernel/principal.ts';
import type { Principal } from '../kernel/principal.ts';
import { mayBeServed } from './brokered.ts';
import type { Tool } from './define.ts';
import { listedSchemaOf, outputSchemaOf } from './schema.ts';
import type { Profile, ServerDefinition, ToolSource } from './server.ts';

/**
 * The tools of one server as their callers see them: sorted by name, and serialised once per
 * profile, set of scopes and version. A list that did not change is the same text, so prompt caches hit.
 */
export interface ToolList {
  find(name: string, who: Principal, profile: Profile): Promise<Tool | undefined>;
  view(who: Principal, profile: Profile): Promise<View>;
}

/** `text` is all entries joined: what most lists answer. */
type View = Readonly<{ names: readonly string[]; entries: readonly string[]; text: string }>;

type Stock = Readonly<{ sorted: readonly Tool[]; byName: ReadonlyMap<string, Tool>; views: Map<string, View> }>;

/** Lists of past versions are dropped; this bounds callers whose lists differ. */
const MAX_STOCKS = 64;

export function createToolList(source: ToolSource, profiles: ServerDefinition['profiles'] = {}): ToolList {
  const stocks = new Map<string, Stock>();

  async function stockFor(who: Principal): Promise<Stock> {
    const version = source.version(who);
    const known = stocks.get(version);
    if (known) return known;
    const stock = arrange(await source.list(who));
    if (stocks.size >= MAX_STOCKS) stocks.delete(stocks.keys().next().value!);
    stocks.set(version, stock);
    return stock;
  }

  function isShown(tool: Tool, profile: Profile): boolean {
    if (Object.hasOwn(profiles, profile)) return profiles[profile]!.shows(tool);
    return tool.profile === undefined || profile === 'extended';
  }

  return {
    async find(name, who, profile) {
      const tool = (await stockFor(who)).byName.get(name);
      const isWall = Object.hasOwn(profiles, profile) && profiles[profile]!.isWall;
      return tool && (!isWall || isShown(tool, profile)) ? tool : undefined;
    },
    async view(who, profile) {
      const { sorted, views } = await stockFor(who);
      const key = who.scopes.has('*') ? profile : `${profile} ${[...who.scopes].toSorted().join(' ')}`;
      const known = views.get(key);
      if (known) return known;
      const shown = sorted.filter((tool) => isShown(tool, profile) && hasScope(who, tool.scope));
      const entries = shown.map(entryOf);
      const view = { names: shown.map((tool) => tool.name), entries, text: entries.join(',') };
      views.set(key, view);
      return view;
    },
  };
}

/**
 * A tool that reaches outside and is not behind the broker is not in the list at all, whoever put it into a
 * source.
 */
function arrange(tools: readonly Tool[]): Stock {
  const sorted = tools.filter(mayBeServed).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { sorted, byName: new Map(sorted.map((tool) => [tool.name, tool])), views: new Map() };
}

const serialised = new WeakMap<Tool, string>();

function entryOf(tool: Tool): string {
  let entry = serialised.get(tool);
  if (entry === undefined) {
    const { name, title, description, annotations } = tool;
    const outputSchema = outputSchemaOf(tool);
    entry = JSON.stringify({
      name,
      title,
      description,
      inputSchema: listedSchemaOf(tool),
      ...(outputSchema && { outputSchema }),
      annotations,
    });
    serialised.set(tool, entry);
  }
  return entry;
}
