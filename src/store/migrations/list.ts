import { baseline } from './0029-baseline.ts';
import type { Migration } from './migration.ts';
import { tooOldSchema } from './refuse.ts';

export const migrations: readonly Migration[] = [baseline];

export const latestSchema = migrations.at(-1)!.id;

/** The steps that a database of this schema lacks; all of them for one that is empty (0). */
export function stepsAfter(found: number): readonly Migration[] {
  if (found !== 0 && found < baseline.id) throw tooOldSchema(found, baseline.id);
  return migrations.filter(({ id }) => id > found);
}
