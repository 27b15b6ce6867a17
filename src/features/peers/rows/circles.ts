import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** The team a circle belongs to; undefined when no team has opened it. */
export async function teamOfCircle(q: Query, circle: string): Promise<string | undefined> {
  const row = await q.get<{ team: string }>(sql`
    select team
    from peer_circles
    where circle = ${circle}`);
  return row?.team;
}

export async function circlesOfTeam(q: Query, team: string): Promise<string[]> {
  const rows = await q.all<{ circle: string }>(sql`
    select circle
    from peer_circles
    where team = ${team}`);
  return rows.map(({ circle }) => circle);
}

export async function isCircleUsed(q: Query, circle: string): Promise<boolean> {
  const row = await q.get(sql`
    select 1 as found
    from peer_mailboxes
    where circle = ${circle}
    limit 1`);
  return row !== undefined;
}

/** Two teams that open one circle at the same moment: the first has it. */
export async function openCircle(tx: Tx, circle: string, team: string): Promise<string> {
  await tx.run(sql`
    insert into peer_circles (circle, team, opened_at)
    values (${circle}, ${team}, ${tx.now})
    on conflict (circle) do nothing`);
  return (await teamOfCircle(tx, circle))!;
}

export const teamsOfMailboxes = sql`select team from peer_mailboxes where team <> ''`;
