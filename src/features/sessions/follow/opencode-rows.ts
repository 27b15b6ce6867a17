// The next rows of OpenCode's database: parts in the order in which they were last changed. Tables that are named otherwise one day
// are an error that is told, not a crash.
import { readForeign } from '../../../store/dialects/sqlite/foreign.ts';
import { digestOf } from '../digest.ts';
import { type PartRow, readPart } from '../readers/opencode.ts';
import type { ReaderState, SessionFacts } from '../readers/reader.ts';
import { type SessionPart, told, type ToldLines } from './read-lines.ts';

type Row = PartRow &
  Readonly<{
    session_id: string;
    time_updated: number;
    directory: string;
    title: string;
    parent_id: string | null;
    version: string;
    cost: number | null;
    tokens_input: number | null;
    tokens_output: number | null;
    session_created: number;
  }>;

/** How far it was read, in the reader's state. */
export type RowState = ReaderState & Readonly<{ changedAt?: number; part?: string }>;

/** A page, and whether there is more. What changes in the same millisecond later is looked at again: keys make it once. */
export function readRows(
  path: string,
  state: RowState,
  most: number,
): ToldLines & Readonly<{ hasMore: boolean }> {
  const from = state.changedAt ?? 0;
  const rows = readForeign(path, (query) => {
    const has = new Set(
      query<{ name: string }>('select name from pragma_table_info($1)', 'session').map(({ name }) => name),
    );
    const column = (name: string) => (has.has(name) ? `s.${name}` : 'null');
    return query<Row>(
      `select p.id, p.session_id, p.data, p.time_created, p.time_updated, m.data as message,
        ${column('directory')} as directory, ${column('title')} as title, ${column('parent_id')} as parent_id,
        ${column('version')} as version, ${column('cost')} as cost, ${column('tokens_input')} as tokens_input,
        ${column('tokens_output')} as tokens_output, s.time_created as session_created
      from part p join message m on m.id = p.message_id join session s on s.id = p.session_id
      where p.time_updated > $1 or (p.time_updated = $2 and p.id > $3)
      order by p.time_updated, p.id
      limit $4`,
      from,
      from,
      state.part ?? '',
      most,
    );
  });
  const sessions = new Map<string, SessionPart>();
  let odd = 0;
  for (const row of rows.toSorted((a, b) => a.time_created - b.time_created || (a.id < b.id ? -1 : 1))) {
    const part = sessions.get(row.session_id) ?? { facts: factsOf(row), turns: [] };
    sessions.set(row.session_id, part);
    const reading = readPart(row);
    part.turns.push(...reading.turns);
    part.facts = told(part.facts, reading.facts);
    if (reading.isKnown) continue;
    odd += 1;
    part.turns.push({
      key: digestOf(`${row.id} ${row.data}`),
      at: row.time_created,
      kind: 'unknown',
      text: row.data,
    });
  }
  const last = rows.at(-1);
  return {
    sessions,
    state: last ? ({ changedAt: last.time_updated, part: last.id } as RowState) : state,
    lines: rows.length,
    unknown: odd,
    version: last?.version,
    hasMore: rows.length === most,
  };
}

function factsOf(row: Row): SessionFacts {
  return {
    folder: row.directory ?? undefined,
    title: (row.title ?? '').startsWith('New session') ? undefined : (row.title ?? undefined),
    parent: row.parent_id ?? undefined,
    version: row.version ?? undefined,
    startedAt: row.session_created,
    tokensIn: row.tokens_input ?? undefined,
    tokensOut: row.tokens_output ?? undefined,
    costUsd: row.cost ?? undefined,
  };
}
