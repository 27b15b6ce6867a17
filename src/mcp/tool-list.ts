import { hasScope } from '../kernel/principal.ts';
import type { Principal } from '../kernel/principal.ts';
import { mayBeServed } from './brokered.ts';
import type { Tool } from './define.ts';
import { listedSchemaOf, outputSchemaOf } from './schema.ts';
import type { ToolView, Profile, ServerDefinition, ToolSource } from './server.ts';

/**
 * The tools of one server as their callers see them: sorted by name, and serialised once per
 * profile, set of scopes and version. A list that did not change is the same text, so prompt caches hit.
 */
export interface ToolList {
  find(name: string, who: Principal, profile: Profile): Promise<Tool | undefined>;
  /** Every tool that the caller may call in this view, as it is shown there; those that are hidden just now are left out. */
  reachable(who: Principal, profile: Profile): Promise<readonly Tool[]>;
  view(who: Principal, profile: Profile): Promise<View>;
}

/** `text` is all entries joined: what most lists answer. */
type View = Readonly<{ names: readonly string[]; entries: readonly string[]; text: string }>;

type Arrangement = Readonly<{
  sorted: readonly Tool[];
  byName: ReadonlyMap<string, Tool>;
  views: Map<string, View>;
  reached: Map<string, readonly Tool[]>;
  /** Of views that rename: tools by the names they have there. */
  renamed: Map<string, ReadonlyMap<string, Tool>>;
}>;

/** Lists of past versions are dropped; this bounds callers whose lists differ. */
const MAX_ARRANGEMENTS = 64;

export function createToolList(source: ToolSource, profiles: ServerDefinition['profiles'] = {}): ToolList {
  const arrangements = new Map<string, Arrangement>();

  async function arrangementFor(who: Principal): Promise<Arrangement> {
    const version = source.version(who);
    const known = arrangements.get(version);
    if (known) return known;
    const arrangement = arrange(await source.list(who));
    if (arrangements.size >= MAX_ARRANGEMENTS) arrangements.delete(arrangements.keys().next().value!);
    arrangements.set(version, arrangement);
    return arrangement;
  }

  function viewOf(profile: Profile): ToolView {
    if (Object.hasOwn(profiles, profile)) return profiles[profile]!;
    return profile === 'extended' ? EVERYTHING : DOCUMENTED;
  }

  const keyOf = (who: Principal, profile: Profile) =>
    who.scopes.has('*') ? profile : `${profile} ${[...who.scopes].toSorted().join(' ')}`;

  return {
    async find(name, who, profile) {
      const found = findIn(await arrangementFor(who), name, profile);
      if (found || !source.settled) return found;
      await source.settled();
      return findIn(await arrangementFor(who), name, profile);
    },
    async reachable(who, profile) {
      await source.settled?.();
      const { sorted, reached } = await arrangementFor(who);
      const key = keyOf(who, profile);
      let tools = reached.get(key);
      if (!tools) {
        const view = viewOf(profile);
        const open = sorted.filter(
          (tool) => isReached(tool, view) && hasScope(who, tool.scope) && !tool.isHidden?.(),
        );
        reached.set(key, (tools = view.adapt ? open.map((tool) => view.adapt!(tool)) : open));
      }
      return tools;
    },
    async view(who, profile) {
      await source.settled?.();
      const { sorted, views } = await arrangementFor(who);
      const key = keyOf(who, profile);
      const known = views.get(key);
      if (known) return known;
      const { shows, adapt } = viewOf(profile);
      const listed = sorted.filter((tool) => shows(tool) && hasScope(who, tool.scope) && !tool.isHidden?.());
      const shown = adapt ? listed.map((tool) => adapt(tool)).toSorted(byName) : listed;
      const entries = shown.map(entryOf);
      const view = { names: shown.map((tool) => tool.name), entries, text: entries.join(',') };
      views.set(key, view);
      return view;
    },
  };

  function findIn(arrangement: Arrangement, name: string, profile: Profile): Tool | undefined {
    const view = viewOf(profile);
    if (view.adapt) return adaptedIn(arrangement, profile, view).get(name);
    const tool = arrangement.byName.get(name);
    return tool && isReached(tool, view) ? tool : undefined;
  }

  function adaptedIn(
    { sorted, renamed }: Arrangement,
    profile: Profile,
    view: ToolView,
  ): ReadonlyMap<string, Tool> {
    let tools = renamed.get(profile);
    if (!tools) {
      const adapted = sorted.filter((tool) => isReached(tool, view)).map((tool) => view.adapt!(tool));
      renamed.set(profile, (tools = new Map(adapted.map((tool) => [tool.name, tool]))));
    }
    return tools;
  }
}

const EVERYTHING: ToolView = { shows: () => true };
const DOCUMENTED: ToolView = { shows: ({ profile }) => profile === undefined };

function isReached(tool: Tool, { isWall, shows }: ToolView): boolean {
  return !isWall || shows(tool);
}

const byName = (a: Tool, b: Tool) => (a.name < b.name ? -1 : 1);

/**
 * A tool that reaches outside and is not behind the broker is not in the list at all, whoever put it into a
 * source.
 */
function arrange(tools: readonly Tool[]): Arrangement {
  const sorted = tools.filter(mayBeServed).toSorted(byName);
  return {
    sorted,
    byName: new Map(sorted.map((tool) => [tool.name, tool])),
    views: new Map(),
    reached: new Map(),
    renamed: new Map(),
  };
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
