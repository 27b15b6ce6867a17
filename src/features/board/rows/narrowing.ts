import { sql, type Sql } from '../../../store/sql.ts';

/** What a person narrows a list by; part of a `where` on `tasks`. */
export type Narrowing = Readonly<{
  /** Whether there is something left to do. */
  state?: 'open' | 'closed' | undefined;
  /** Words of the title or the description; every one of them has to be there. */
  search?: string | undefined;
  label?: string | undefined;
  /** What was put out of sight, and nothing else. */
  archived?: boolean | undefined;
}>;

const MOST_WORDS = 16;

export function narrowedBy({ state, search, label, archived }: Narrowing): Sql[] {
  const terms: Sql[] = [archived ? sql`shelved_at is not null` : sql`shelved_at is null`];
  if (state === 'open') terms.push(sql`status not in ('done', 'cancelled')`);
  if (state === 'closed') terms.push(sql`status in ('done', 'cancelled')`);
  if (label !== undefined) terms.push(sql`id in (select task_id from task_labels where label = ${label})`);
  for (const word of (search ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    terms.push(
      sql`(lower(title) like ${pattern} escape '\\' or lower(coalesce(description, '')) like ${pattern} escape '\\')`,
    );
  }
  return terms;
}
