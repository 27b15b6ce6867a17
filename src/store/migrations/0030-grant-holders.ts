import type { Migration } from './migration.ts';

/**
 * Requests, grants and calls know where they belong: the client, its project and the folder it works in. A grant of a
 * client of this machine was everybody's here, and for whom it was meant was never written down: those end, and what
 * still waits for an answer is asked again. Grants of credentials stay as they are (`*`: nothing more to compare).
 */
export const grantHolders: Migration = {
  id: 30,
  name: 'grant-holders',
  schema: `
alter table tool_approvals add column client text;
alter table tool_approvals add column project text;
alter table tool_approvals add column folder text;
alter table tool_approvals add column ground text not null default '';
alter table tool_approvals add column holder text not null default '';
update tool_approvals set status = 'expired' where status = 'pending' and principal like 'local:%';
update tool_approvals set redeem_until = 0 where status = 'allow_once' and principal like 'local:%';

alter table tool_grants add column client text not null default '*';
alter table tool_grants add column project text not null default '*';
alter table tool_grants add column ground text not null default '*';
alter table tool_grants add column team_id text;
alter table tool_grants add column folder text;
update tool_grants
@sqlite set revoked_at = cast(strftime('%s', 'now') as integer) * 1000,
@postgres set revoked_at = cast(extract(epoch from now()) as bigint) * 1000,
revoked_by = 'holdfast: grants belong to one client in one project'
where revoked_at is null and principal like 'local:%';

alter table tool_audit add column client text;
alter table tool_audit add column project text;
alter table tool_audit add column folder text;
`,
};
