/**
 * Columns that hold JSON which is read back without looking twice. A file from elsewhere is looked at here, before any
 * of it is written: a row that nobody can read would be in the way of a whole list for good.
 */
import { isObject } from '../../kernel/loose-json.ts';
type Shape = 'object' | 'list';

export const HOLDING_JSON: Readonly<Record<string, Readonly<Record<string, Shape>>>> = {
  agent_tokens: { scopes: 'list' },
  being_docs: { meta: 'object' },
  being_merges: { absorbed: 'list', before: 'list' },
  being_nodes: { scene: 'object', themes: 'list' },
  being_run_steps: { details: 'object' },
  being_runs: { stats: 'object' },
  brain_intents: { entry: 'object' },
  brain_memories: { tags: 'list' },
  brain_steps: { entry: 'object' },
  events: { data: 'object' },
  lifecycle_log: { target_ids: 'list' },
  memory_facts: { tags: 'list' },
  oauth_clients: { redirect_uris: 'list' },
  peers: { metadata: 'object' },
  run_events: { data: 'object' },
  runs: { worktree: 'object', limits: 'object', error: 'object', usage: 'object' },
  schedule_fires: { cause: 'object' },
  source_tools: { definition: 'object', approved_definition: 'object' },
  tasks: { verification: 'object' },
  tool_grants: { shape_text: 'object' },
  turn_records: { retrieved_memory_ids: 'list' },
};

/** What is wrong with a row; undefined when nothing is. What a column may leave out, the schema of the table knows. */
export function brokenCell(
  { table, columns }: Readonly<{ table: string; columns: readonly string[] }>,
  cells: readonly unknown[],
): string | undefined {
  const shapes = Object.hasOwn(HOLDING_JSON, table) ? HOLDING_JSON[table]! : {};
  for (const [i, column] of columns.entries()) {
    const cell = cells[i];
    if (!Object.hasOwn(shapes, column) || cell === null || isOf(shapes[column]!, cell)) continue;
    return `${table}.${column} does not hold ${shapes[column] === 'list' ? 'a list' : 'an object'}`;
  }
  return undefined;
}

function isOf(shape: Shape, cell: unknown): boolean {
  try {
    const value: unknown = typeof cell === 'string' ? JSON.parse(cell) : undefined;
    return shape === 'list' ? Array.isArray(value) : isObject(value);
  } catch {
    return false;
  }
}
