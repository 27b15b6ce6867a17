// Lines of a file become what the board here says: the newest of each field, as far as it may be followed.
import { canonicalJson } from '../../../kernel/canonical-json.ts';
import { readStamps, writeStamps } from '../rows/stamps.ts';
import { lockAnyTask } from '../rows/undos.ts';
import type { StoredTask } from '../task.ts';
import { applyFields } from './apply.ts';
import { bringTask } from './bring.ts';
import { carriedFields, type TaskHere, keepFields, readHere, valueIn } from './here.ts';
import {
  type BoardLine,
  clamped,
  foldFields,
  isAfter,
  isSameValue,
  type LineFields,
  newer,
  titleIn,
} from './line.ts';
import type { SyncReport } from './report.ts';
import type { Taking } from './taken-lines.ts';

/** All lines of one task. */
export async function takeTask(taking: Taking, id: string, lines: readonly BoardLine[]): Promise<void> {
  const { tx, teamId, report, now } = taking;
  const found = (await lockAnyTask(tx, id))?.task;
  const stamped = (await readStamps(tx, [id])).get(id);
  if ((found?.teamId ?? stamped?.teamId ?? teamId) !== teamId)
    return leave(taking, id, 'it belongs to another project here');
  const here = found ? (await readHere(tx, [found], taking)).get(id)! : undefined;
  const ours = here?.fields ?? (stamped && carriedFields(stamped.fields)) ?? {};
  const given = lines.map(({ fields }) => fields);
  const merged = foldFields([ours, ...given], now);
  const title = titleIn(merged) || (found?.title ?? '');
  if (!found && merged['dropped']?.[0] !== true && title === '') return leave(taking, id, 'it has no title');
  report.overruled.push(...overruledIn({ id, title, here, given, merged, now }));
  const values = await carryOut(taking, { id, found, here, merged });
  const kept = keepFields(merged, values, here);
  if (stamped && canonicalJson(stamped.fields) === canonicalJson(kept)) return;
  await writeStamps(tx, { taskId: id, teamId, fields: kept });
}

type Merge = Readonly<{
  id: string;
  found: StoredTask | undefined;
  here: TaskHere | undefined;
  merged: LineFields;
}>;

/** What the board says afterwards; undefined where it has no such task. */
async function carryOut(taking: Taking, { id, found, here, merged }: Merge) {
  if (found && here) {
    const apply = () => applyFields(taking, { task: found, here, merged });
    return changesAny(here, merged) || taking.isTrusted
      ? taking.bringing.around(taking.tx, id, apply)
      : apply();
  }
  if (merged['dropped']?.[0] === true) return undefined;
  return bringTask(taking, id, merged);
}

/** Whether the board may say anything else afterwards; links come last of all. */
function changesAny({ values }: TaskHere, merged: LineFields): boolean {
  return Object.entries(merged).some(
    ([field, [value]]) => !isAfter(field) && !isSameValue(value, valueIn(values, field)),
  );
}

/** The line stays in the file as it is. */
function leave({ report }: Taking, id: string, why: string): void {
  report.left.push(id);
  report.kept.push({ id, title: '', field: 'id', why });
}

type Overruling = Readonly<{
  id: string;
  title: string;
  here: TaskHere | undefined;
  given: readonly LineFields[];
  merged: LineFields;
  now: number;
}>;

/**
 * What lost although it was new to whoever said the other: said here since file and board were last in step, or in a line that
 * git kept beside another and not yet known when that was said. What is merely old is nothing to tell of.
 */
function overruledIn({ id, title, here, given, merged, now }: Overruling): SyncReport['overruled'] {
  return Object.entries(merged).flatMap(([field, won]) => {
    const base = here?.kept[field];
    const own = here?.fields[field];
    const isUnsaid = own !== undefined && (base === undefined || own[1] !== base.at || own[2] !== base.by);
    const seen = base?.prev ?? base?.at ?? Infinity;
    const others = given.flatMap((fields) => (fields[field] ? [clamped(fields[field], now)] : []));
    const said = [...(isUnsaid ? [own] : []), ...others.filter(([, at]) => at > seen)].filter(
      ([value]) => !isSameValue(value, won[0]),
    );
    if (said.length === 0) return [];
    const [value, at, by] = said.reduce(newer);
    return [{ id, title, field, lost: [value, at, by], won: [...won] }];
  });
}
