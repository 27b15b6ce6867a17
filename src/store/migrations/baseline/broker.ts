/** Approvals, grants, the audit chain, the trash. */
export const broker = `
create table tool_switches (
  name exact primary key,
  enabled int not null,
  changed_at int not null,
  changed_by text not null
) rowless;

create table tool_approvals (
  id exact primary key,
  tool_name exact not null,
  principal exact not null,
  agent_id text,
  team_id text,
  args_hash exact not null,
  args_summary text,
  shape exact not null,
  reason text,
  status exact not null default 'pending',
  task_id text,
  tenant_id text,
  call_id exact not null,
  created_at int not null,
  expires_at int not null,
  resolved_at int,
  resolved_by text,
  redeem_until int,
  redeemed_by_call text,
  grant_id text,
  shape_text text not null default '{}',
  credential text not null default ''
) rowless;
create index tool_approvals_asked on tool_approvals (principal, tool_name, args_hash, id);
create index tool_approvals_pending on tool_approvals (id) where status = 'pending';

create table tool_grants (
  id exact primary key,
  tool_name exact not null,
  principal exact not null,
  agent_id text,
  shape exact not null,
  approval_id text,
  created_at int not null,
  created_by text not null,
  expires_at int,
  revoked_at int,
  revoked_by text,
  uses int not null default 0,
  last_used_at int,
  shape_text text not null default '{}',
  credential text not null default ''
) rowless;
create index tool_grants_matched on tool_grants (tool_name, principal) where revoked_at is null;

create table tool_usage (
  principal exact not null,
  tool_name exact not null,
  span exact not null,
  window_start int not null,
  calls int not null,
  primary key (principal, tool_name, span)
) rowless;

create table tool_audit (
  seq int primary key,
  id exact not null unique,
  call_id exact not null,
  tool_name exact not null,
  principal exact not null,
  agent_id text,
  team_id text,
  phase text not null,
  decision text,
  reason text,
  outcome text,
  args_summary text,
  result_summary text,
  is_error int not null,
  duration_ms int,
  approval_id text,
  grant_id text,
  tenant_id text,
  created_at int not null,
  hash text not null,
  args_hash text
);
create index tool_audit_by_tool on tool_audit (tool_name, seq);
create index tool_audit_by_call on tool_audit (call_id, seq);

create table tool_audit_marks (
  name exact primary key,
  seq int not null,
  hash text not null,
  removed int not null,
  at int not null
) rowless;
insert into tool_audit_marks (name, seq, hash, removed, at)
values ('head', 0, '', 0, 0), ('checkpoint', 0, '', 0, 0);

create table tool_notes (
  id exact primary key,
  note text not null,
  agent_id text,
  created_at int not null
) rowless;

create table tool_trash (
  id exact primary key,
  workspace text not null,
  original_path text not null,
  trash_path text not null,
  deleted_at int not null,
  deleted_by text not null,
  restored_at int
) rowless;
`;
