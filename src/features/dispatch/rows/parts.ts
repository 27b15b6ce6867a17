// SQL of the parts of a run that was begun more than once.
import type { Family } from '../../../kernel/agent-settings.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import {
  jsonOrNull,
  number,
  numberOrNull,
  type RecordOf,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { Usage } from '../frames/common.ts';

const parts = table('run_parts', {
  runId: text(),
  n: number(),
  instance: text(),
  family: text<Family>(),
  sessionId: textOrNull(),
  /** The limit it met, or how the run ended with it. */
  ended: text(),
  text: textOrNull(),
  usage: jsonOrNull<Usage>(),
  costUsd: numberOrNull(),
  startedAt: number(),
  endedAt: number(),
});
export type RunPart = Readonly<RecordOf<typeof parts.fields>>;

export const insertPart = (tx: Tx, part: RunPart): Promise<void> => parts.insert(tx, part);

export const partsOf = (q: Query, runId: string): Promise<RunPart[]> =>
  parts.list(q, sql`where run_id = ${runId} order by n`);
