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
  const sessionOf = createSessions(parts.lately);
  /** The same tools are the same list. */
  const chosen = new WeakMap<readonly Tool[], WeakMap<Session, readonly Tool[]>>();
  return {
    async choose(tools, who) {
      const session = await sessionOf(who);
      let lists = chosen.get(tools);
      if (!lists) chosen.set(tools, (lists = new WeakMap()));
      let list = lists.get(session);
      if (!list) lists.set(session, (list = fill(tools, { ...parts, rank: rankIn(session, tools) })));
      return list;
    },
  };
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

/** `lately` as it was at its first list: tools by their place. `arrived`: sources in the order in which they came. */
type Session = { readonly lately: ReadonlyMap<string, number>; readonly arrived: string[]; askedAt: number };

const MOST_SESSIONS = 5_000;
/** A caller without a connection that was silent for so long begins anew: no prompt cache is that old. */
const IDLE_MS = 3_600_000;

function createSessions(lately: BudgetParts['lately']): (who: Principal) => Promise<Session> {
  const sessions = new BoundedMap<string, Session>(MOST_SESSIONS);

  function known(key: string, { seat }: Principal): Session | undefined {
    const session = sessions.get(key);
    if (!session || (seat === '' && elapsed() - session.askedAt > IDLE_MS)) return undefined;
    session.askedAt = elapsed();
    return session;
  }

  return async (who) => {
    const key = seatOf(who) ?? JSON.stringify([who.kind, who.id, who.client, who.bound]);
    const before = known(key, who);
    if (before) return before;
    const used = await lately(who);
    // Two first lists at once are of one session.
    const meanwhile = known(key, who);
    if (meanwhile) return meanwhile;
    const begun = { lately: new Map(used.map((name, i) => [name, i])), arrived: [], askedAt: elapsed() };
    sessions.set(key, begun);
    return begun;
  };
}

/** What a session uses moves nothing. Sources that come later follow in the order in which they came, unless they were used lately. */
function rankIn({ lately, arrived }: Session, tools: readonly Tool[]): Rank {
  const used = new Map<string, number>();
  for (const { name, source = '', isForeign } of tools) {
    if (!isForeign) continue;
    if (arrived.at(-1) !== source && !arrived.includes(source)) arrived.push(source);
    used.set(source, Math.min(used.get(source) ?? Infinity, lately.get(name) ?? Infinity));
  }
  return {
    ofSource: (one) => Math.min(used.get(one) ?? Infinity, lately.size + arrived.indexOf(one)),
    ofTool: (name) => lately.get(name) ?? lately.size,
  };
}
