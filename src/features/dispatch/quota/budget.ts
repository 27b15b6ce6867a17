// What each agent used within its windows, and what is left of them.
import { z } from 'zod';
import { type BudgetWindow, WINDOWS, type WindowLimit } from '../../../kernel/quota-settings.ts';
import type { Config } from '../../../kernel/config.ts';
import type { Query } from '../../../store/database.ts';
import type { Agent } from '../agents/agents.ts';
import { sessionsOfRuns, usedSince } from '../rows/used.ts';
import type { Limit } from './limit.ts';
import { type Used, useOfWindow, type WindowUse, windowStart } from './windows.ts';

export const windowSchema = z.object({
  agent: z.string(),
  window: z.enum(WINDOWS),
  tokens: z.number().describe('Read and written within it, cached ones too.'),
  dollars: z.number(),
  limit: z
    .object({ tokens: z.number().nullable(), dollars: z.number().nullable() })
    .nullable()
    .describe('null: nobody set one.'),
  resetsAt: z
    .string()
    .nullable()
    .describe(
      'When it is below its limit again; else when the oldest use leaves it. null: nothing was used.',
    ),
  from: z
    .enum(['hub', 'sessions'])
    .describe('hub: runs of this hub; sessions: also sessions that nobody here began.'),
});
export type ShownWindow = z.output<typeof windowSchema>;

/** What clients used in sessions that this hub did not begin. */
type SessionUse = Used & Readonly<{ family: string; sessionId: string }>;
type SessionUses = (q: Query, since: number) => Promise<readonly SessionUse[]>;

export interface AgentBudgets {
  /** Every agent that has a budget or used something this week. */
  windows(q: Query, now: number): Promise<ShownWindow[]>;
  /** Those that have a limit, of one agent or of all. */
  limited(q: Query, now: number, instance?: string): Promise<ShownWindow[]>;
  /** The window of this agent that is spent and opens last; undefined: it may go on. */
  spent(q: Query, agent: Pick<Agent, 'instance' | 'settings'>, now: number): Promise<SpentWindow | undefined>;
  /** Sessions are counted, too, from now on. */
  countSessions(uses: SessionUses): void;
}

/** `resetsAt` is undefined of a budget of 0, which never opens. */
type SpentWindow = Limit & Readonly<{ window: BudgetWindow }>;

type BudgetParts = Readonly<{ config: Pick<Config, 'agents' | 'dispatch'>; agents(): readonly Agent[] }>;

export function createBudget({ config, agents }: BudgetParts): AgentBudgets {
  let sessions: SessionUses | undefined;
  const { zone } = config.dispatch;

  async function usedBy(q: Query, since: number, now: number): Promise<Map<string, Used[]>> {
    const all = new Map<string, Used[]>();
    const add = (instance: string, use: Used) => all.set(instance, [...(all.get(instance) ?? []), use]);
    for (const use of await usedSince(q, since, now)) add(use.instance, use);
    if (!sessions) return all;
    const told = await sessions(q, since);
    const ours = await sessionsOfRuns(q, [...new Set(told.map(({ sessionId }) => sessionId))]);
    const known = agents();
    for (const use of told) if (!ours.has(use.sessionId)) add(instanceOf(known, use.family), use);
    return all;
  }

  const limitsOf = (instance: string) =>
    Object.hasOwn(config.agents, instance) ? config.agents[instance]!.budget : {};

  const withLimits = Object.keys(config.agents)
    .filter((name) => Object.keys(limitsOf(name)).length > 0)
    .toSorted();

  function shown(instance: string, used: readonly Used[], now: number): ShownWindow[] {
    return WINDOWS.map((window) => {
      const limit = limitsOf(instance)[window];
      const { tokens, dollars, resetsAt } = useOfWindow(used, { window, limit, now, zone });
      return {
        agent: instance,
        window,
        tokens,
        dollars: Math.round(dollars * 1e6) / 1e6,
        limit: limit ? { tokens: limit.tokens ?? null, dollars: limit.dollars ?? null } : null,
        resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString(),
        from: sessions ? 'sessions' : 'hub',
      };
    });
  }

  return {
    countSessions: (uses) => void (sessions = uses),
    async windows(q, now) {
      const used = await usedBy(q, windowStart('week', now, zone), now);
      const names = [...new Set([...withLimits, ...used.keys()])].toSorted();
      return names.flatMap((name) => shown(name, used.get(name) ?? [], now));
    },
    async limited(q, now, instance) {
      const names = withLimits.filter((name) => instance === undefined || name === instance);
      if (names.length === 0) return [];
      const used = await usedBy(q, windowStart('week', now, zone), now);
      return names
        .flatMap((name) => shown(name, used.get(name) ?? [], now))
        .filter(({ limit }) => limit !== null);
    },
    async spent(q, { instance, settings }, now) {
      const windows = WINDOWS.filter((window) => settings.budget[window]);
      if (windows.length === 0) return undefined;
      const used = (await usedBy(q, windowStart(windows.at(-1)!, now, zone), now)).get(instance) ?? [];
      const spent = windows.flatMap((window) => {
        const limit = settings.budget[window]!;
        const use = useOfWindow(used, { window, limit, now, zone });
        return use.isSpent ? [{ window, limit, use }] : [];
      });
      const last = spent.toSorted((a, b) => opens(b.use) - opens(a.use))[0];
      return last && sentence(instance, last);
    },
  };
}

const opens = ({ resetsAt }: WindowUse) => resetsAt ?? Number.POSITIVE_INFINITY;

type Spent = Readonly<{ window: BudgetWindow; limit: WindowLimit; use: WindowUse }>;

function sentence(instance: string, { window, limit, use }: Spent): SpentWindow {
  const isOfTokens = limit.tokens !== undefined && use.tokens >= limit.tokens;
  const used = isOfTokens
    ? `${use.tokens} of ${limit.tokens} tokens`
    : `$${use.dollars.toFixed(2)} of $${limit.dollars}`;
  const within = { '5h': 'five hours', day: 'a day', week: 'a week' }[window];
  const text = `${instance} has used ${used} within ${within}.`;
  return { kind: 'usage', window, text, ...(use.resetsAt !== null && { resetsAt: use.resetsAt }) };
}

/** Whose account a session of that family uses, as far as anybody can tell: the agent of that name, else the first of the family. */
function instanceOf(agents: readonly Agent[], family: string): string {
  const own = agents.filter((agent) => agent.family === family).map(({ instance }) => instance);
  return own.includes(family) ? family : (own[0] ?? family);
}
