// `fallback` and `budget` of an agent in config.yaml.
import { bad, numberAt, objectAt, refuseUnknown } from './setting-values.ts';

/** Windows that roll, in the order in which they are shown. */
export const WINDOWS = ['5h', 'day', 'week'] as const;
export type BudgetWindow = (typeof WINDOWS)[number];

/** What may be used within a window; undefined: as much as there is. */
export type WindowLimit = Readonly<{ tokens: number | undefined; dollars: number | undefined }>;
export type AgentBudget = Readonly<Partial<Record<BudgetWindow, WindowLimit>>>;

export function readBudget(at: string, value: unknown): AgentBudget {
  if (value === undefined || value === null) return {};
  const entry = objectAt(at, value);
  refuseUnknown(at, entry, WINDOWS);
  const windows = WINDOWS.filter((window) => entry[window] !== undefined);
  return Object.fromEntries(windows.map((window) => [window, readWindow(`${at}.${window}`, entry[window])]));
}

function readWindow(at: string, value: unknown): WindowLimit {
  const entry = objectAt(at, value);
  refuseUnknown(at, entry, ['tokens', 'dollars']);
  const { tokens, dollars } = entry;
  if (tokens === undefined && dollars === undefined) throw bad(at, 'tokens, dollars or both', value);
  return {
    tokens: tokens === undefined ? undefined : tokensAt(`${at}.tokens`, tokens),
    dollars: dollars === undefined ? undefined : numberAt(`${at}.dollars`, dollars),
  };
}

const UNITS: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9 };

function tokensAt(at: string, value: unknown): number {
  const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s?(k|m|g)?$/i.exec(String(value)) ?? [];
  if (amount === undefined) throw bad(at, 'a number of tokens such as 500k or 2M', value);
  return Math.round(Number(amount) * (UNITS[unit.toLowerCase()] ?? 1));
}

type WithFallback = Readonly<{ fallback: readonly string[] }>;
type Agents = Readonly<Record<string, WithFallback>>;

/** A chain that comes back to where it began would hand one task round for ever. `known`: names besides those of config.yaml. */
export function refuseCircles(agents: Agents, known: readonly string[]): void {
  const done = new Set<string>();
  const walk = (name: string, way: readonly string[]): void => {
    const at = `agents.${name}.fallback`;
    for (const next of Object.hasOwn(agents, name) ? agents[name]!.fallback : []) {
      if (!Object.hasOwn(agents, next) && !known.includes(next)) throw bad(at, 'names of agents', next);
      const circle = way.indexOf(next);
      if (circle >= 0)
        throw bad(at, 'a chain that ends, and not a circle', [...way.slice(circle), next].join(' → '));
      if (!done.has(next)) walk(next, [...way, next]);
    }
    done.add(name);
  };
  for (const name of Object.keys(agents)) walk(name, [name]);
}

/** Who goes on after this one, in order: its list, each followed by the list of its own; every name once. */
export function chainOf(agents: Agents, name: string): readonly string[] {
  const chain: string[] = [];
  const add = (each: string) => {
    for (const next of Object.hasOwn(agents, each) ? agents[each]!.fallback : []) {
      if (next === name || chain.includes(next)) continue;
      chain.push(next);
      add(next);
    }
  };
  add(name);
  return chain;
}
