import type { Status } from '../../../src/features/board/task.ts';
import {
  dayMeant,
  FIELDS,
  isLike,
  LIST_FLAGS,
  spanMeant,
  type Term,
} from '../../../src/kernel/query-fields.ts';
import { isEmptyQuery, parseQuery, type PeopleQuery } from '../../../src/kernel/query-language.ts';
import { STATUSES } from '../parts/status.tsx';
import type { Card, Cards } from './cards.ts';

/**
 * The filter line in the one query language. What a card can tell is judged here, at once; what it cannot, such as words of
 * a comment, the hub is asked for (`found`).
 */
export type Filter = PeopleQuery;

export function parseFilter(text: string): Filter {
  // What is still being typed narrows nothing yet.
  return parseQuery(text.replace(/[\w-]+(:|=|[<>]=?)"?$/, ''), { flags: LIST_FLAGS });
}

export const isEmpty = isEmptyQuery;

/** The hub knows more than the card: where somebody wrote the words, and what is not drawn. */
export function asksHub({ words, phrases, without, terms }: Filter): boolean {
  return (
    words.length + phrases.length + without.length > 0 || terms.some((term) => judge(term) === undefined)
  );
}

/** It changes with the clock alone. */
export function isTimed({ terms }: Filter): boolean {
  return terms.some(({ field, value }) => field === 'is' && /lapsed|ready|overdue/.test(value));
}

export type Beside = Readonly<{ cards: Cards; now: number; found: ReadonlySet<string> | undefined }>;

export function matches(card: Card, filter: Filter, beside: Beside): boolean {
  const { found } = beside;
  const isIn = (text: string) =>
    card.title.toLowerCase().includes(text.toLowerCase()) || card.id.includes(text.toLowerCase());
  if (filter.without.some(isIn) || (filter.without.length > 0 && found?.has(card.id) === false)) return false;
  const isNamed = [...filter.words, ...filter.phrases].every(isIn) || found?.has(card.id) === true;
  return isNamed && filter.terms.every((term) => isMet(card, term, beside));
}

function isMet(card: Card, term: Term, beside: Beside): boolean {
  const met = judge(term)?.(card, term, beside);
  return met === undefined ? beside.found?.has(card.id) === true : met !== term.not;
}

type Judge = (card: Card, term: Term, beside: Beside) => boolean;

const anyOf = (value: string, is: (one: string) => boolean) => value.toLowerCase().split(',').some(is);
const isText = (text: string | null, value: string) =>
  anyOf(value, (one) => (text === null ? one === 'none' : isLike(text, one)));
const compare = <T>(a: T, op: Term['op'], b: T) =>
  ({ '=': a === b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b })[op];

function isWithin(at: number | null, term: Term, now: number): boolean {
  if (term.value === 'none' || at === null) return term.value === 'none' && at === null;
  const { from = -Infinity, until = Infinity } = spanMeant(term, now);
  return at >= from && at < until;
}

/** Undefined: the card does not tell. */
function judge({ field, value }: Term): Judge | undefined {
  if (field === 'has')
    return value.split(',').every((one) => Object.hasOwn(HAS, one))
      ? (card) => anyOf(value, (one) => HAS[one]!(card))
      : undefined;
  return JUDGES[field];
}

const JUDGES: Readonly<Record<string, Judge>> = {
  project: ({ teamId }, { value }) => isText(teamId, value),
  agent: ({ assigneeAgentId }, { value }) => isText(assigneeAgentId, value),
  label: ({ labels }, { value }) =>
    anyOf(value, (one) =>
      one === 'none' ? labels.length === 0 : labels.some((label) => isLike(label, one)),
    ),
  status: ({ status }, { value }) => isText(status, value),
  title: ({ title }, { value }) => title.toLowerCase().includes(value.toLowerCase()),
  id: ({ id }, { value }) => id.includes(value.toLowerCase()),
  priority: ({ priority }, { op, value }) => compare(priority, op, Number(value)),
  due: ({ due }, { op, value }) =>
    due === null || value === 'none'
      ? due === null && value === 'none'
      : compare(due, op, dayMeant(value, Date.now())),
  created: ({ createdAt }, term) => isWithin(createdAt, term, Date.now()),
  updated: ({ updatedAt }, term) => isWithin(updatedAt, term, Date.now()),
  finished: ({ completedAt }, term) => isWithin(completedAt, term, Date.now()),
  kind: (_card, { value }) => value.split(',').includes('task'),
  is: (card, { value }, beside) => anyOf(value, (one) => MARKS[one]?.(card, beside) === true),
};

const HAS: Readonly<Record<string, (card: Card) => boolean>> = {
  comment: ({ comments }) => comments > 0,
  check: ({ checks }) => checks !== null,
  label: ({ labels }) => labels.length > 0,
  due: ({ due }) => due !== null,
  branch: ({ branchRef }) => branchRef !== null,
  dependency: ({ dependsOn }) => dependsOn.length > 0,
  agent: ({ assigneeAgentId }) => assigneeAgentId !== null,
};

const MARKS: Readonly<Record<string, (card: Card, beside: Beside) => boolean>> = {
  any: () => true,
  open: ({ status }) => !isOver(status),
  closed: ({ status }) => isOver(status),
  done: ({ status }) => isOver(status),
  // What was put out of sight has a view of its own.
  archived: () => false,
  ready: (card, { cards }) =>
    card.status === 'todo' && card.assigneeAgentId === null && waitsFor(card, cards).length === 0,
  waiting: (card, { cards }) => !isOver(card.status) && waitsFor(card, cards).length > 0,
  held: ({ assigneeAgentId, status }) => assigneeAgentId !== null && !isOver(status),
  lapsed: ({ leaseUntil, status }, { now }) => leaseUntil !== null && leaseUntil <= now && !isOver(status),
  overdue: ({ due, status }) => due !== null && due < dayMeant('today', Date.now()) && !isOver(status),
};

/** What is still to be done before this one. A task that was cancelled, or is gone, holds nothing up. */
export function waitsFor(card: Card, cards: Cards): readonly Card[] {
  if (card.dependsOn.length === 0) return [];
  return card.dependsOn.flatMap((id) => cards.get(id) ?? []).filter(({ status }) => !isOver(status));
}

export function isOver(status: Status): boolean {
  return status === 'done' || status === 'cancelled';
}

const FILTER_KEYS = Object.keys(FIELDS).filter((field) => field !== 'search' && field !== 'kind');

/** What could be typed next. */
export function complete(text: string, cards: Cards): readonly string[] {
  const last = /\S*$/.exec(text)?.[0].toLowerCase() ?? '';
  const rest = text.slice(0, text.length - last.length);
  const [, key, value = ''] = /^(\w+):"?(.*)$/.exec(last) ?? [];
  const options =
    key === undefined
      ? [...FILTER_KEYS.map((each) => `${each}:`), ...LIST_FLAGS].filter((option) => option.startsWith(last))
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
  if (key === 'is' || key === 'has') return FIELDS[key]?.choices ?? [];
  if (key === 'label') return [...new Set(all.flatMap(({ labels }) => labels)), 'none'].sort();
  if (key === 'project' || key === 'team')
    return [...new Set(all.map(({ teamId }) => teamId ?? 'none'))].sort();
  if (key === 'agent')
    return [...new Set(all.map(({ assigneeAgentId }) => assigneeAgentId ?? 'none'))].sort();
  return [];
}
