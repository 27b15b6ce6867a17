// A query of people as conditions on `tasks`: what is asked for by name, and words wherever somebody wrote them.
import { dayMeant, type Term } from '../../../kernel/query-fields.ts';
import type { Query } from '../../../kernel/query-language.ts';
import {
  conditionsOf,
  contains,
  EVERYTHING,
  isCompared,
  isKind,
  isOneOf,
  isText,
  isWithin,
  NOTHING,
} from '../../../store/query-terms.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { STATUSES } from '../task.ts';
import { isFree, isReadyAmongMany } from './ready.ts';

export function queryTerms(query: Query, now: number): Sql[] {
  return conditionsOf(query, { has: isWritten, fields: fieldsAt(now) });
}

/** In the task itself, in what was said about it, and in any part of an id that is shown. */
function isWritten(text: string): Sql {
  const places = [contains(sql`title`, text), contains(sql`description`, text)];
  for (const { table, column } of SAID)
    places.push(sql`id in (select task_id from ${table} where ${contains(column, text)})`);
  if (isPartOfId(text)) places.push(contains(sql`id`, text));
  return sql.join(places, ' or ');
}

/** Where people and agents write about a task. */
const SAID = [
  { table: sql`task_comments`, column: sql`body` },
  { table: sql`task_checks`, column: sql`title` },
  { table: sql`task_evidence`, column: sql`summary` },
  { table: sql`task_evidence`, column: sql`reference` },
  { table: sql`task_labels`, column: sql`label` },
];

/** Fewer letters are in every id. */
function isPartOfId(text: string): boolean {
  return /^[\da-f-]{4,36}$/i.test(text);
}

const hasRow = (table: Sql, where: Sql = EVERYTHING): Sql =>
  sql`id in (select task_id from ${table} where ${where})`;
const isOver = sql`status in ('done', 'cancelled')`;

const fieldsAt = (now: number): Readonly<Record<string, (term: Term) => Sql>> => ({
  status: ({ value }) => isOneOf(sql`status`, value, STATUSES),
  label: ({ value }) =>
    value === 'none'
      ? sql`not ${hasRow(sql`task_labels`)}`
      : hasRow(sql`task_labels`, isText(sql`label`, value)),
  agent: ({ value }) => isText(sql`assignee_agent_id`, value),
  project: ({ value }) => isText(sql`team_id`, value),
  priority: ({ op, value }) => isCompared(sql`priority`, op, Number(value)),
  due: ({ op, value }) =>
    value === 'none' ? sql`due is null` : isCompared(sql`due`, op, dayMeant(value, now)),
  created: (term) => isWithin(sql`created_at`, term, now),
  updated: (term) => isWithin(sql`updated_at`, term, now),
  finished: (term) => isWithin(sql`completed_at`, term, now),
  has: ({ value }) => anyOf(value, (each) => HAS[each]),
  is: ({ value }) => anyOf(value, (each) => IS[each]?.(now)),
  kind: (term) => isKind(term, 'task'),
  id: ({ value }) => contains(sql`id`, value),
  title: ({ value }) => contains(sql`title`, value),
});

function anyOf(value: string, find: (each: string) => Sql | undefined): Sql {
  const each = value.toLowerCase().split(',');
  return sql`(${sql.join(
    each.map((one) => find(one) ?? NOTHING),
    ' or ',
  )})`;
}

const HAS: Readonly<Record<string, Sql>> = {
  comment: hasRow(sql`task_comments`),
  check: hasRow(sql`task_checks`),
  evidence: hasRow(sql`task_evidence`),
  label: hasRow(sql`task_labels`),
  dependency: hasRow(sql`task_dependencies`),
  due: sql`due is not null`,
  description: sql`coalesce(description, '') <> ''`,
  branch: sql`branch_ref is not null`,
  agent: sql`assignee_agent_id is not null`,
  part: sql`id in (select part.parent_task_id from tasks as part where part.parent_task_id is not null and part.dropped = 0)`,
};

const IS: Readonly<Record<string, (now: number) => Sql>> = {
  any: () => EVERYTHING,
  open: () => sql`not ${isOver}`,
  closed: () => isOver,
  done: () => isOver,
  archived: () => sql`shelved_at is not null`,
  ready: (now) => sql`(${isFree(now)} and ${isReadyAmongMany})`,
  waiting: () => sql`(not ${isOver} and not (${isReadyAmongMany}))`,
  held: () => sql`(assignee_agent_id is not null and not ${isOver})`,
  lapsed: (now) => sql`(lease_until is not null and lease_until <= ${now} and not ${isOver})`,
  overdue: (now) => sql`(due is not null and due < ${dayMeant('today', now)} and not ${isOver})`,
};

/** What was put out of sight is found where it is asked for. */
export function asksForArchived({ terms }: Query): boolean {
  return terms.some(
    ({ field, value, not }) => field === 'is' && !not && value.split(',').includes('archived'),
  );
}
