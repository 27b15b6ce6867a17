import type { Status } from '../../../src/features/board/task.ts';
import { STATUSES } from '../parts/status.tsx';
import type { Card, Cards } from './cards.ts';

/** The filter line is text; this is all it knows. A word without a colon is looked for in titles. */
export type Filter = Readonly<{
  words: readonly string[];
  terms: readonly (readonly [FilterKey, string])[];
  flags: ReadonlySet<Flag>;
}>;

const FILTER_KEYS = ['project', 'team', 'agent', 'label', 'status', 'priority'] as const;
type FilterKey = (typeof FILTER_KEYS)[number];
const FLAGS = ['ready', 'waiting', 'held', 'lapsed'] as const;
type Flag = (typeof FLAGS)[number];

export function parseFilter(text: string): Filter {
  const words: string[] = [];
  const terms: (readonly [FilterKey, string])[] = [];
  const flags = new Set<Flag>();
  for (const part of text.match(/[\w-]+:"[^"]*"|"[^"]+"|\S+/g) ?? []) {
    const [, key, value] = /^(\w+):"?([^"]*)"?$/.exec(part) ?? [];
    if (key !== undefined && (FILTER_KEYS as readonly string[]).includes(key))
      terms.push([key as FilterKey, value!.toLowerCase()]);
    else if ((FLAGS as readonly string[]).includes(part)) flags.add(part as Flag);
    else words.push(part.replaceAll('"', '').toLowerCase());
  }
  return { words, terms, flags };
}

export function isEmpty({ words, terms, flags }: Filter): boolean {
  return words.length === 0 && terms.length === 0 && flags.size === 0;
}

export function matches(card: Card, filter: Filter, cards: Cards, now: number): boolean {
  const title = filter.words.length > 0 ? card.title.toLowerCase() : '';
  if (!filter.words.every((word) => title.includes(word) || card.id.startsWith(word))) return false;
  if (!filter.terms.every(([key, value]) => value === '' || TERMS[key](card, value))) return false;
  return [...filter.flags].every((flag) => MARKS[flag](card, cards, now));
}

const TERMS: Readonly<Record<FilterKey, (card: Card, value: string) => boolean>> = {
  project: ({ teamId }, value) => like(teamId ?? 'none', value),
  // A project is a team that was found in a folder; people say both.
  team: ({ teamId }, value) => like(teamId ?? 'none', value),
  agent: ({ assigneeAgentId }, value) => like(assigneeAgentId ?? 'none', value),
  label: ({ labels }, value) =>
    labels.length === 0 ? value === 'none' : labels.some((label) => like(label, value)),
  status: ({ status }, value) => like(status, value),
  priority: ({ priority }, value) => {
    const [, sign, number] = /^([<>]?)(-?\d+)$/.exec(value) ?? [];
    if (number === undefined) return true;
    return sign === '>'
      ? priority > Number(number)
      : sign === '<'
        ? priority < Number(number)
        : priority === Number(number);
  },
};

const MARKS: Readonly<Record<Flag, (card: Card, cards: Cards, now: number) => boolean>> = {
  ready: (card, cards) =>
    card.status === 'todo' && card.assigneeAgentId === null && waitsFor(card, cards).length === 0,
  waiting: (card, cards) => !isOver(card.status) && waitsFor(card, cards).length > 0,
  held: ({ assigneeAgentId, status }) => assigneeAgentId !== null && !isOver(status),
  lapsed: ({ leaseUntil, status }, _cards, now) =>
    leaseUntil !== null && leaseUntil <= now && !isOver(status),
};

function like(text: string, pattern: string): boolean {
  const lower = text.toLowerCase();
  return pattern.endsWith('*') ? lower.startsWith(pattern.slice(0, -1)) : lower === pattern;
}

/** What is still to be done before this one. A task that is gone holds nothing up. */
export function waitsFor(card: Card, cards: Cards): readonly Card[] {
  if (card.dependsOn.length === 0) return [];
  return card.dependsOn.flatMap((id) => cards.get(id) ?? []).filter(({ status }) => status !== 'done');
}

export function isOver(status: Status): boolean {
  return status === 'done' || status === 'cancelled';
}

/** What could be typed next. */
export function complete(text: string, cards: Cards): readonly string[] {
  const last = /\S*$/.exec(text)?.[0].toLowerCase() ?? '';
  const rest = text.slice(0, text.length - last.length);
  const [, key, value = ''] = /^(\w+):"?(.*)$/.exec(last) ?? [];
  const options =
    key === undefined
      ? [...FILTER_KEYS.map((each) => `${each}:`), ...FLAGS].filter((option) => option.startsWith(last))
      : valuesOf(key, cards)
          .filter((each) => each.toLowerCase().startsWith(value))
          .map((each) => `${key}:${quoted(each)}`);
  return options
    .filter((option) => option !== last)
    .slice(0, 8)
    .map((option) => rest + option);
}

/** A value with a space in it would be two words. */
export function quoted(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

function valuesOf(key: string, cards: Cards): readonly string[] {
  const all = [...cards.values()];
  if (key === 'status') return STATUSES;
  if (key === 'label') return [...new Set(all.flatMap(({ labels }) => labels)), 'none'].sort();
  if (key === 'project' || key === 'team')
    return [...new Set(all.map(({ teamId }) => teamId ?? 'none'))].sort();
  if (key === 'agent')
    return [...new Set(all.map(({ assigneeAgentId }) => assigneeAgentId ?? 'none'))].sort();
  return [];
}
