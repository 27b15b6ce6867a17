// What the board here says of a task, in the words of a line: the value of each field, and who said it when. The stamp of a
// value that was there when file and board were last in step is kept with it; one that has changed since is in the event log.
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { sha256 } from '../../../kernel/digest.ts';
import type { Event } from '../../../kernel/event.ts';
import type { Query } from '../../../store/database.ts';
import { newestAbout } from '../../../store/events.ts';
import { type Kept, type KeptFields, labelsOfTasks, linksOfTasks, readStamps } from '../rows/stamps.ts';
import type { StoredTask } from '../task.ts';
import { plainStatus } from '../work/plain-status.ts';
import { AFTER, isAfter, isLabel, LABEL, type LineFields, type Stamp } from './line.ts';

/** What came from elsewhere is marked here, and only here: the mark does not travel. */
export const FOREIGN = 'foreign';

export type Values = Readonly<Record<string, unknown>>;
export type TaskHere = Readonly<{ values: Values; kept: KeptFields; fields: LineFields }>;

/** Who looks: `person` is what the person at this hub is called elsewhere. */
export type Looking = Readonly<{ person: string; now: number }>;

export async function readHere(
  q: Query,
  tasks: readonly StoredTask[],
  looking: Looking,
): Promise<Map<string, TaskHere>> {
  const ids = tasks.map(({ id }) => id);
  const stamps = await readStamps(q, ids);
  const labels = Map.groupBy(await labelsOfTasks(q, ids), ({ taskId }) => taskId);
  const links = Map.groupBy(await linksOfTasks(q, ids), ({ taskId }) => taskId);
  const all = new Map<string, TaskHere>();
  for (const task of tasks) {
    const named = [
      ...(labels.get(task.id) ?? []).map(({ other }) => `${LABEL}${other}`),
      ...(links.get(task.id) ?? []).map(({ other }) => `${AFTER}${other}`),
    ].filter((field) => field !== `${LABEL}${FOREIGN}`);
    const values = { ...valuesOf(task), ...Object.fromEntries(named.map((field) => [field, true])) };
    const kept = stamps.get(task.id)?.fields ?? {};
    all.set(task.id, { values, kept, fields: await fieldsOf(q, task, { values, kept, ...looking }) });
  }
  return all;
}

function valuesOf(task: StoredTask): Values {
  const { title, status, priority, due, description, parentTaskId, externalId, createdAt, dropped } = task;
  return {
    title,
    status: plainStatus(status),
    priority,
    due,
    description,
    parentTaskId,
    externalId,
    createdAt,
    dropped,
  };
}

/** What nobody has said anything about needs no field. */
function isBlank(value: unknown): boolean {
  return value === null || value === false || value === 0;
}

/** Of a label or a link that is not there: false. */
export function valueIn(values: Values, field: string): unknown {
  return values[field] ?? (isLabel(field) || isAfter(field) ? false : null);
}

async function fieldsOf(
  q: Query,
  task: StoredTask,
  { values, kept, person, now }: Pick<TaskHere, 'values' | 'kept'> & Looking,
): Promise<LineFields> {
  const fields: Record<string, Stamp> = {};
  let events: readonly Event[] | undefined;
  for (const field of new Set([...Object.keys(values), ...Object.keys(kept)])) {
    const value = valueIn(values, field);
    const known = kept[field];
    if (known && isInStep(known, value)) fields[field] = stampOf(known, value);
    else if (known || !isBlank(value)) {
      events ??= await newestAbout(q, task.id, MOST_EVENTS);
      const said = lastTouch(events, field) ?? { at: task.updatedAt, by: 'hub' };
      // Said after what it replaces, whatever the clocks were.
      const at = Math.min(now, Math.max(said.at, known ? known.at + 1 : 0));
      fields[field] = [value, at, PERSONS.has(said.by) ? person : said.by];
    }
  }
  return fields;
}

const MOST_EVENTS = 500;
/** The names of the person who runs the hub in its own log. */
const PERSONS: ReadonlySet<string> = new Set(['local', 'operator', 'user']);

function lastTouch(events: readonly Event[], field: string): { at: number; by: string } | undefined {
  const found = events.find((event) => touches(event, field));
  return found && { at: found.at, by: found.actor.id };
}

const MOVES = new Set(['task.status_changed', 'task.released', 'task.reopened', 'task.claimed']);
const BEGINNINGS = new Set(['task.created', 'task.imported', 'task.undone']);

function touches({ kind, data = {} }: Event, field: string): boolean {
  if (BEGINNINGS.has(kind)) return true;
  if (kind === 'task.updated') return String(data['fields']).split(',').includes(field);
  if (field === 'status') return MOVES.has(kind);
  if (field === 'dropped') return kind === 'task.dropped';
  if (isLabel(field)) return kind === 'task.labelled';
  if (!isAfter(field)) return false;
  return /^task\.(un)?linked$/.test(kind) && data['dependsOnTaskId'] === field.slice(AFTER.length);
}

/** Of what is no field of a task here, or of no task here, nothing can have changed. */
const CARRIED = '';

function isInStep({ here }: Kept, value: unknown): boolean {
  return here === CARRIED || here === digestOf(value);
}

function stampOf(kept: Kept, value: unknown): Stamp {
  return ['value' in kept ? kept.value : value, kept.at, kept.by];
}

/** The fields of a task that is not here, as they are carried on. */
export function carriedFields(kept: KeptFields): LineFields {
  return Object.fromEntries(Object.entries(kept).map(([field, each]) => [field, stampOf(each, null)]));
}

/** What is kept once file and board are in step: `values` is what the board says now, `before` what it said and kept. */
export function keepFields(
  fields: LineFields,
  values: Values | undefined,
  before: Pick<TaskHere, 'kept' | 'fields'> = { kept: {}, fields: {} },
): KeptFields {
  return Object.fromEntries(
    Object.entries(fields).map(([field, [value, at, by]]) => {
      if (values === undefined || !isOurs(field)) return [field, { at, by, here: CARRIED, value }];
      const here = digestOf(valueIn(values, field));
      const prev = previousOf(field, [value, at, by], before);
      return [
        field,
        { at, by, here, ...(here !== digestOf(value) && { value }), ...(prev !== undefined && { prev }) },
      ];
    }),
  );
}

function previousOf(
  field: string,
  [, at, by]: Stamp,
  { kept, fields }: Pick<TaskHere, 'kept' | 'fields'>,
): number | undefined {
  const [known, own] = [kept[field], fields[field]];
  if (known === undefined) return undefined;
  if (known.at === at && known.by === by) return known.prev;
  return own?.[1] === at && own[2] === by ? known.at : undefined;
}

const OURS = new Set([
  'title',
  'status',
  'priority',
  'due',
  'description',
  'parentTaskId',
  'externalId',
  'createdAt',
  'dropped',
]);

function isOurs(field: string): boolean {
  return OURS.has(field) || isLabel(field) || isAfter(field);
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value)).slice(0, 16);
}
