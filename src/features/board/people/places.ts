import { HubError } from '../../../kernel/errors.ts';
import { deletePlace, placesOf, setPlace } from '../rows/places.ts';
import type { TaskSummary } from '../task.ts';
import type { Unit } from '../unit.ts';
import { requireLocked, requireTask } from '../work/find.ts';
import { told } from '../work/narration.ts';

/**
 * The order of cards in a column is the order of their places: texts, compared letter by letter, between any two of which
 * there is another one. A card that nobody has put anywhere stands where its turn is: by priority, then the older first.
 */
export function turnOf({
  priority,
  createdAt,
  id,
}: Pick<TaskSummary, 'priority' | 'createdAt' | 'id'>): string {
  const end = id.replace(/[^"-}]/g, '~');
  return `${String(MOST_PRIORITY - priority).padStart(BAND, '0')}${String(createdAt).padStart(15, '0')}${end}`;
}

/** No priority is higher. */
const MOST_PRIORITY = 1_000_000;
/** The letters of a place, as digits: none ends with the lowest, so there is room before each. */
const [LOWEST, BEYOND] = [0x21, 0x7f];
const LONGEST = 400;
/** So much of a place is its priority. */
const BAND = 8;

/** Pure: a text after `low` and before `high`, where `low` is before `high`; without a high one, after all. */
export function between(low: string, high?: string): string {
  if (high !== undefined) {
    let same = 0;
    while ((low.charCodeAt(same) || LOWEST) === high.charCodeAt(same)) same += 1;
    if (same > 0) return high.slice(0, same) + between(low.slice(same), high.slice(same));
  }
  const from = low.charCodeAt(0) || LOWEST;
  const to = high === undefined ? BEYOND : high.charCodeAt(0);
  if (to - from > 1) return String.fromCharCode((from + to) >> 1);
  if (high !== undefined && high.length > 1) return high.slice(0, 1);
  return String.fromCharCode(from) + between(low.slice(1));
}

type Placing = Readonly<{ taskId: string; after?: string | undefined; before?: string | undefined }>;
type Placed = Readonly<{ taskId: string; place: string }>;

/** Between two others, or at an end; with neither, back to where its turn is. */
export async function place(unit: Unit, { taskId, after, before }: Placing): Promise<Placed> {
  const { tx } = unit;
  const task = await requireLocked(unit, taskId);
  if (after === undefined && before === undefined) {
    if (await deletePlace(tx, taskId)) tx.emit(told(task, 'task.placed'));
    return { taskId, place: turnOf(task) };
  }
  const placeAt = async (id: string): Promise<string> => {
    const other = await requireTask(unit, id);
    return (await placesOf(tx, [id])).get(id) ?? turnOf(other);
  };
  const above = after === undefined ? undefined : await placeAt(after);
  const below = before === undefined ? undefined : await placeAt(before);
  // At an end it stays among those of that priority: what is more urgent still comes above it.
  const low = above ?? (below!.length > BAND ? below!.slice(0, BAND) : '');
  const high = below ?? (low.length > BAND ? `${low.slice(0, BAND)}~` : undefined);
  const found = high === undefined || low < high ? between(low, high) : undefined;
  if (found === undefined || found.length > LONGEST)
    throw new HubError('conflict', `There is no room between ${after} and ${before}.`, {
      taskId,
      hint: 'Somebody moved them meanwhile: look at the board again.',
    });
  await setPlace(tx, taskId, found);
  tx.emit(told(task, 'task.placed'));
  return { taskId, place: found };
}
