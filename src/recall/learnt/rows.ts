// SQL of the words that items learnt from use.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { named, number, type RecordOf, table, text } from '../../store/table.ts';
import { tagsSeen } from '../rows.ts';
import type { Sight } from '../scopes.ts';
import { spacesOfQuestions } from './askers.ts';

/** A word with its space; `scopeNo` is that of what the asker saw, `by` a digest of who it was. */
const learnt = table('recall_learnt', {
  word: text(),
  no: number(),
  scopeNo: number(),
  by: named('used_by', text()),
  at: number(),
});
const taught = learnt.only('word', 'scopeNo', 'by', 'at');
export type LearntRow = Readonly<RecordOf<typeof taught.fields>>;

export async function addLearnt(tx: Tx, no: number, added: readonly LearntRow[]): Promise<void> {
  await tx.run(sql`
    insert into recall_learnt ${learnt.values(...added.map((row) => ({ ...row, no })))}
    on conflict (word, no, scope_no, used_by) do update
    set at = excluded.at`);
}

/** Keeps the newest. */
export async function trim(
  tx: Tx,
  number: number,
  { user, most }: Readonly<{ user?: string; most: number }>,
): Promise<void> {
  const which = sql`no = ${number} ${user === undefined ? sql.empty : sql`and used_by = ${user}`}`;
  await tx.run(sql`
    delete from recall_learnt
    where ${which}
      and (word, scope_no, used_by) not in (
        select word, scope_no, used_by
        from recall_learnt
        where ${which}
        order by at desc, word
        limit ${most}
      )`);
}

export function learntOf(q: Query, no: number): Promise<LearntRow[]> {
  return taught.list(q, sql`where no = ${no} order by word, scope_no, used_by`);
}

export async function dropLearnt(tx: Tx, no: number): Promise<void> {
  await learnt.delete(tx, sql`where no = ${no}`);
}

/** What people of one scope taught is told to those of the other. */
export async function moveLearnt(
  tx: Tx,
  { from, into }: Readonly<{ from: number; into: number }>,
): Promise<void> {
  await tx.run(sql`
    insert into recall_learnt (${learnt.columns})
    select word, no, ${into}, used_by, at
    from recall_learnt
    where scope_no = ${from}
    on conflict (word, no, scope_no, used_by) do nothing`);
  await learnt.delete(tx, sql`where scope_no = ${from}`);
}

function isAnyLearnt(q: Query): Promise<boolean> {
  return q.kept(
    'learnt words',
    async () => (await q.get(sql`select 1 from recall_learnt limit 1`)) !== undefined,
  );
}

/** Words that were learnt more often than this tell nothing. */
const MOST = 4_000;

/**
 * Which items learnt which of the words from whom, as far as the reader sees what those who asked saw. They are counted by
 * the caller: SQLite would take seven times as long to group them. Where nobody learnt anything, nothing is looked for.
 */
export async function learntFrom(
  q: Query,
  sight: Sight,
  words: readonly string[],
): Promise<(Pick<LearntRow, 'word' | 'by'> & Readonly<{ no: number }>)[]> {
  // Where the way to the engine is short, asking first whether there is any costs a tenth of the statement below.
  if (!q.dialect.isShared && !(await isAnyLearnt(q))) return [];
  return q.all(sql`
    select learnt.no, learnt.word, learnt.used_by as by
    from recall_learnt learnt
    join recall_scopes scope on scope.no = learnt.scope_no
    where exists (select 1 from recall_learnt)
      and learnt.word ${q.dialect.isOneOfTexts(words)}
      and scope.space ${q.dialect.isOneOfTexts(spacesOfQuestions(sight))}
      and ${tagsSeen(sight)}
    limit ${MOST}`);
}
