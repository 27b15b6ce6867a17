// What the default view lists: as much as fits into a budget of tokens, because a model pays for every tool it is shown.
// What must stay true: for one session the same tools are listed until a source comes or goes, so that prompt caches hold.
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { elapsed } from '../../kernel/clock.ts';
import type { Principal } from '../../kernel/principal.ts';
import { seatOf } from '../../kernel/seat.ts';
import type { Tool } from '../../mcp/define.ts';
import { listedSchemaOf, tokensOf } from '../../mcp/schema.ts';
import type { ToolView } from '../../mcp/server.ts';

export type BudgetParts = Readonly<{
  /** In tokens, as `costOf` counts them. */
  budget: number;
  /** Listed before the tools of sources, in this order. */
  first: readonly string[];
  /** Of those: listed however small the budget is, since they lead to everything else. */
  always: ReadonlySet<string>;
  /** Listed after them, in this order. */
  last: readonly string[];
  /** Tools that were used in the project of the caller, those of the last calls first. */
  lately(who: Principal): Promise<readonly string[]>;
}>;

export function budgetView(parts: BudgetParts): Required<Pick<ToolView, 'choose'>> {
  const rankOf = createRanks(parts.lately);
  return { choose: async (tools, who) => fill(tools, { ...parts, rank: await rankOf(who, tools) }) };
}

/** What a tool in a list costs: a token is about four characters of what a model is shown of it. */
export function costOf(tool: Tool): number {
  let cost = costs.get(tool);
  if (cost === undefined) {
    const { name, description } = tool;
    cost = tokensOf(JSON.stringify({ name, description, inputSchema: listedSchemaOf(tool) }));
    costs.set(tool, cost);
  }
  return cost;
}
const costs = new WeakMap<Tool, number>();

function costOfAll(tools: readonly Tool[]): number {
  return tools.reduce((sum, tool) => sum + costOf(tool), 0);
}

/** Lower comes first. */
type Rank = Readonly<{ ofSource(source: string): number; ofTool(name: string): number }>;
type Filling = Pick<BudgetParts, 'budget' | 'first' | 'always' | 'last'> & Readonly<{ rank: Rank }>;

/** What of the budget is kept for sources. */
const OF_SOURCES = 1 / 3;

function fill(tools: readonly Tool[], { budget, first, always, last, rank }: Filling): readonly Tool[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const named = (names: readonly string[]) => names.flatMap((name) => byName.get(name) ?? []);
  const foreign = tools.filter(({ isForeign }) => isForeign);
  const bag = createBag(budget - Math.min(budget * OF_SOURCES, costOfAll(foreign)));
  const [fixed, rest] = split(named(first), ({ name }) => always.has(name));
  bag.put(fixed);
  for (const tool of rest) bag.take([tool]);
  bag.widen(budget);
  const sources = [...Map.groupBy(foreign, ({ source = '' }) => source)]
    .toSorted(([a], [b]) => rank.ofSource(a) - rank.ofSource(b))
    .map(([, own]) => own.toSorted((a, b) => rank.ofTool(a.name) - rank.ofTool(b.name)));
  const [, parts] = split(sources, (own) => bag.take(own));
  for (const tool of parts.flat()) bag.take([tool]);
  for (const tool of named(last)) bag.take([tool]);
  return bag.taken;
}

function createBag(room: number) {
  const taken: Tool[] = [];
  let limit = room;
  let used = 0;
  function put(tools: readonly Tool[]): void {
    taken.push(...tools);
    used += costOfAll(tools);
  }
  return {
    taken,
    put,
    /** All of them, or none. */
    take(tools: readonly Tool[]): boolean {
      const fits = used + costOfAll(tools) <= limit;
      if (fits) put(tools);
      return fits;
    },
    widen: (to: number) => void (limit = to),
  };
}

function split<T>(items: readonly T[], isFirst: (item: T) => boolean): readonly [T[], T[]] {
  const [yes, no]: [T[], T[]] = [[], []];
  for (const item of items) (isFirst(item) ? yes : no).push(item);
  return [yes, no];
}

type Session = { lately: readonly string[]; readonly arrived: string[]; askedAt: number };

const MOST_SESSIONS = 5_000;
/** A caller without a connection that was silent for so long begins anew: no prompt cache is that old. */
const IDLE_MS = 3_600_000;

/**
 * The ranks of a session are those of its first list: what it uses later moves nothing. Sources that come later follow
 * in the order in which they came, unless they were used lately.
 */
function createRanks(lately: BudgetParts['lately']) {
  const sessions = new BoundedMap<string, Session>(MOST_SESSIONS);

  async function sessionOf(who: Principal): Promise<Session> {
    const key = seatOf(who) ?? JSON.stringify([who.kind, who.id, who.client, who.bound]);
    const known = sessions.get(key);
    const now = elapsed();
    if (known && (who.seat !== '' || now - known.askedAt < IDLE_MS)) {
      known.askedAt = now;
      return known;
    }
    const begun = { lately: await lately(who), arrived: [], askedAt: now };
    sessions.set(key, begun);
    return begun;
  }

  return async (who: Principal, tools: readonly Tool[]): Promise<Rank> => {
    const { lately: used, arrived } = await sessionOf(who);
    const foreign = tools.filter(({ isForeign }) => isForeign);
    for (const { source = '' } of foreign) if (!arrived.includes(source)) arrived.push(source);
    const sourceOf = new Map(foreign.map(({ name, source = '' }) => [name, source]));
    const usedSources = used.flatMap((name) => sourceOf.get(name) ?? []);
    const place = (list: readonly string[], one: string) =>
      list.includes(one) ? list.indexOf(one) : Infinity;
    return {
      ofSource: (one) => Math.min(place(usedSources, one), used.length + arrived.indexOf(one)),
      ofTool: (name) => Math.min(place(used, name), used.length),
    };
  };
}
