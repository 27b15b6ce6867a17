// SQL of grants. One statement finds a living grant of this caller and counts its use.
import type { GrantHolder } from '../caller.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

const grants = table('tool_grants', {
  id: text(),
  toolName: text(),
  principal: text(),
  agentId: textOrNull(),
  /** The key of the shape it covers; its text is what people see. */
  shape: text(),
  shapeText: text(),
  /** What its caller was known by when it was given; '' for none. No other credential uses it. */
  credential: text(),
  /** Which client, in which project, in which repository: `*` for every one, as of all whose caller has a credential. */
  client: text(),
  project: text(),
  ground: text(),
  /** Where it was given: shown, and compared with nothing. */
  teamId: textOrNull(),
  folder: textOrNull(),
  approvalId: textOrNull(),
  createdAt: number(),
  createdBy: text(),
  expiresAt: numberOrNull(),
  revokedAt: numberOrNull(),
  revokedBy: textOrNull(),
  uses: number(),
  lastUsedAt: numberOrNull(),
});
export type Grant = Readonly<RecordOf<typeof grants.fields>>;

export const insertGrant = grants.insert;

/** `shapes`: every key that a grant for this call may have: its own shape, its very arguments, and what else was offered. */
export type GrantBond = Readonly<{
  principal: string;
  toolName: string;
  shapes: readonly string[];
  credential: string;
  holder: GrantHolder;
}>;

/** Finds a living grant and counts its use in one statement; a grant revoked meanwhile is not used. */
export async function takeGrant(tx: Tx, bond: GrantBond): Promise<string | undefined> {
  const { client, project, ground } = bond.holder;
  const row = await tx.get<{ id: string }>(sql`
    update tool_grants
    set uses = uses + 1, last_used_at = ${tx.now}
    where id = (
        select id
        from tool_grants
        where tool_name = ${bond.toolName} and principal = ${bond.principal} and shape in ${sql.in(bond.shapes)}
          and credential = ${bond.credential}
          and client in (${client}, '*') and project in (${project}, '*') and ground in (${ground}, '*')
          and revoked_at is null and (expires_at is null or expires_at > ${tx.now})
        order by id
        limit 1
      )
      and revoked_at is null
    returning id`);
  return row?.id;
}

export async function grantById(q: Query, id: string): Promise<Grant | undefined> {
  return grants.find(q, sql`where id = ${id}`);
}

/** `principal`: the only one whose grants are shown. */
export async function listGrants(
  q: Query,
  filter: { living: boolean; now: number; principal: string | undefined },
): Promise<Grant[]> {
  const conditions = [
    ...(filter.living
      ? [sql`revoked_at is null and (expires_at is null or expires_at > ${filter.now})`]
      : []),
    ...(filter.principal === undefined ? [] : [sql`principal = ${filter.principal}`]),
  ];
  return grants.list(
    q,
    sql`
    ${conditions.length === 0 ? sql.empty : sql`where ${sql.join(conditions, ' and ')}`}
    order by id desc
    limit 1000`,
  );
}

export async function revokeGrant(tx: Tx, id: string, by: string): Promise<boolean> {
  const changed = await grants.update(
    tx,
    { revokedAt: tx.now, revokedBy: by },
    sql`where id = ${id} and revoked_at is null`,
  );
  return changed === 1;
}
