import type { HubError } from '../kernel/errors.ts';
import { hasScope } from '../kernel/principal.ts';
import type { Principal } from '../kernel/principal.ts';
import { mayBeServed } from './brokered.ts';
import type { Tool } from './define.ts';
import { knowsOutputSchemas } from './protocol/versions.ts';
import { type JsonSchema, listedSchemaOf, outputSchemaOf, tokensOf } from './schema.ts';
import type { Absent, ToolView, Profile, ServerDefinition, ToolSource } from './server.ts';

/**
 * The tools of one server as their callers see them: sorted by name, and serialised once per
 * profile, set of scopes and version. A list that did not change is the same text, so prompt caches hit.
 */
export interface ToolList {
  find(name: string, who: Principal, profile: Profile): Promise<Tool | undefined>;
  /** Why a tool that is not found, or hidden, is not there now, where its source can tell. */
  absence(name: string, who: Principal, profile: Profile): HubError | undefined;
  /** All that is not there now, and why. */
  absent(who: Principal, profile: Profile): readonly Absent[];
  /** Every tool that the caller may call in this view, as it is shown there; those that are hidden just now are left out. */
  reachable(who: Principal, profile: Profile): Promise<readonly Tool[]>;
  /** What `tools/list` shows to this caller, in the words of its revision. */
  view(asked: AskedView): Promise<View>;
}

type AskedView = Readonly<{ who: Principal; profile: Profile; version: string }>;

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

type Listing = Pick<ServerDefinition, 'profiles' | 'mostOutputTokens'>;

/** Lists of past versions are dropped; this bounds callers whose lists differ. */
const MAX_ARRANGEMENTS = 64;

export function createToolList(source: ToolSource, definition: Listing = {}): ToolList {
  const { profiles = {}, mostOutputTokens = Infinity } = definition;
  const arrangements = new Map<string, Arrangement>();
  const entryWithOutput = serialiser(mostOutputTokens);
  const entryWithoutOutput = serialiser(0);

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

  const keyOf = (who: Principal, profile: Profile) => `${profile} ${[...who.scopes].toSorted().join(' ')}`;

  return {
    async find(name, who, profile) {
      const found = findIn(await arrangementFor(who), name, profile);
      if (found || !source.settled) return found;
      await source.settled();
      return findIn(await arrangementFor(who), name, profile);
    },
    absence(asked, who, profile) {
      const view = viewOf(profile);
      const name = view.nameBehind?.(asked) ?? asked;
      return isReached({ name }, view) ? source.absence?.(name, who) : undefined;
    },
    absent: (who, profile) =>
      (source.absent?.(who) ?? []).filter(({ prefix }) => isReached({ name: prefix }, viewOf(profile))),
    async reachable(who, profile) {
      await source.settled?.();
      return reachableIn(await arrangementFor(who), who, profile);
    },
    async view({ who, profile, version }) {
      await source.settled?.();
      const arrangement = await arrangementFor(who);
      const entryOf = knowsOutputSchemas(version) ? entryWithOutput : entryWithoutOutput;
      const { choose } = viewOf(profile);
      if (choose) {
        const chosen = await choose(reachableIn(arrangement, who, profile), who);
        return viewFrom(chosen.toSorted(byName), entryOf);
      }
      const key = `${entryOf === entryWithOutput} ${keyOf(who, profile)}`;
      let view = arrangement.views.get(key);
      if (!view) arrangement.views.set(key, (view = viewFrom(listedIn(arrangement, who, profile), entryOf)));
      return view;
    },
  };

  function reachableIn({ sorted, reached }: Arrangement, who: Principal, profile: Profile): readonly Tool[] {
    const key = keyOf(who, profile);
    let tools = reached.get(key);
    if (!tools) {
      const view = viewOf(profile);
      const open = sorted.filter((tool) => isReached(tool, view) && isOpen(tool, who));
      reached.set(key, (tools = view.adapt ? open.map((tool) => view.adapt!(tool)) : open));
    }
    return tools;
  }

  function listedIn({ sorted }: Arrangement, who: Principal, profile: Profile): readonly Tool[] {
    const { shows, adapt } = viewOf(profile);
    const listed = sorted.filter((tool) => shows(tool) && isOpen(tool, who));
    return adapt ? listed.map((tool) => adapt(tool)).toSorted(byName) : listed;
  }

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

function isReached(tool: Pick<Tool, 'name' | 'profile'>, { isWall, shows }: ToolView): boolean {
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

function isOpen(tool: Tool, who: Principal): boolean {
  return hasScope(who, tool.scope) && !tool.isHidden?.();
}

function viewFrom(tools: readonly Tool[], entryOf: (tool: Tool) => string): View {
  const entries = tools.map(entryOf);
  return { names: tools.map(({ name }) => name), entries, text: entries.join(',') };
}

/** The text of a tool in a list, made once. Output schemas longer than `mostOutputTokens` are left out. */
function serialiser(mostOutputTokens: number): (tool: Tool) => string {
  const texts = new WeakMap<Tool, string>();
  return (tool) => {
    let text = texts.get(tool);
    if (text === undefined) texts.set(tool, (text = entryOf(tool, outputWithin(tool, mostOutputTokens))));
    return text;
  };
}

function outputWithin(tool: Tool, most: number): JsonSchema | undefined {
  const schema = most === 0 ? undefined : outputSchemaOf(tool);
  if (most === Infinity) return schema;
  return schema && tokensOf(JSON.stringify(schema)) <= most ? schema : undefined;
}

function entryOf(tool: Tool, outputSchema: JsonSchema | undefined): string {
  const { name, title, description, annotations } = tool;
  return JSON.stringify({
    name,
    title,
    description,
    inputSchema: listedSchemaOf(tool),
    ...(outputSchema && { outputSchema }),
    annotations,
  });
}
