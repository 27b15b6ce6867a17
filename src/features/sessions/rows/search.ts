// SQL of searches: numbers from the index, rows of the owner's own sessions that the caller may see.
import type { Query, WantedTurns } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import type { StoredRow } from '../../../store/table.ts';
import type { Owner } from '../owner.ts';
import { isOwn, isSeen, type SessionSight } from './sessions.ts';
import { type TurnRow, turnRows } from './tables.ts';

export type FoundTurn = TurnRow & Readonly<{ client: string; project: string | null; title: string | null }>;

export type Candidates = Readonly<{
  own: Owner;
  sight: SessionSight;
  /** Undefined: all turns, newest first. */
  wanted: Omit<WantedTurns, 'below' | 'most'> | undefined;
  below?: number | undefined;
  most: number;
  since?: number | undefined;
  until?: number | undefined;
  /** Letters of each text; undefined: all of it. */
  letters?: number | undefined;
}>;

/** Newest first. `last` is the lowest number that was looked at, whether it is the caller's or not. */
export async function findTurns(
  q: Query,
  { own, sight, wanted, below, most, since, until, letters }: Candidates,
): Promise<Readonly<{ turns: FoundTurn[]; last: number | undefined; count: number }>> {
  const found = wanted
    ? await q.dialect.turnWords.newest(q, { ...wanted, below, most })
    : await newest(q, below, most);
  if (found.length === 0) return { turns: [], last: undefined, count: 0 };
  const rows = await q.all<
    StoredRow & Readonly<{ client: string; project: string | null; title: string | null }>
  >(sql`
    select ${columns(letters)}, s.client, s.project, s.title
    from transcript_turns t
    join transcripts s on s.id = t.session
    where t.no ${q.dialect.isOneOf(found)}
      and ${isOwn(own, 's')} and ${isSeen(sight, 's')}
      ${since === undefined ? sql.empty : sql`and t.at >= ${since}`}
      ${until === undefined ? sql.empty : sql`and t.at < ${until}`}
    order by t.no desc`);
  const turns = rows.map((row) => ({
    ...turnRows.read(row),
    client: row.client,
    project: row.project,
    title: row.title,
  }));
  return { turns, last: found.at(-1), count: found.length };
}

async function newest(q: Query, below: number | undefined, most: number): Promise<readonly number[]> {
  const found = await q.all<{ no: number }>(sql`
    select no
    from transcript_turns
    ${below === undefined ? sql.empty : sql`where no < ${below}`}
    order by no desc
    limit ${most}`);
  return found.map(({ no }) => no);
}

const ALL = turnRows.columnsOf('t');
const CUT = (letters: number): Sql =>
  sql.raw(ALL.text.replace('t.text', `substr(t.text, 1, ${Math.floor(letters)}) as text`));

function columns(letters: number | undefined): Sql {
  return letters === undefined ? ALL : CUT(letters);
}

export type TurnPlace = Readonly<{ session: string; turn: number }>;

/** Two before and two after each. */
export async function turnsAround(
  q: Query,
  places: readonly TurnPlace[],
  around: number,
): Promise<TurnRow[]> {
  if (places.length === 0) return [];
  const near = places.map(
    ({ session, turn }) => sql`(session = ${session} and turn between ${turn - around} and ${turn + around})`,
  );
  return turnRows.list(q, sql`where ${sql.join(near, ' or ')} order by session, turn`);
}
