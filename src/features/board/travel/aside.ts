// What a sync brought and its person took back again is off this board alone: its line stays in the file as it is, for those
// who have it on theirs, and every sync says so until the person takes it after all.
import type { Tx } from '../../../store/database.ts';
import { type Kept, type KeptFields, readStamps, writeStamps } from '../rows/stamps.ts';
import { digestOf } from './here.ts';

export function isSetAside({ dropped }: KeptFields): boolean {
  return dropped?.value === false && dropped.here === digestOf(true);
}

/** The board here says that it is dropped; the file goes on saying that it is not. Nobody has said so: at 0. */
export async function setAside(tx: Tx, taskId: string): Promise<void> {
  const stamped = (await readStamps(tx, [taskId])).get(taskId);
  if (!stamped) return;
  const { at = 0, by = 'hub' }: Partial<Kept> = stamped.fields['dropped'] ?? {};
  const dropped: Kept = { at, by, here: digestOf(true), value: false };
  await writeStamps(tx, { taskId, teamId: stamped.teamId, fields: { ...stamped.fields, dropped } });
}
