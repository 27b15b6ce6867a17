import type { Migration } from './migration.ts';

/**
 * The broker. An approval is bound to one principal, one tool and the hash of the exact arguments; a grant to the
 * shape of the arguments. Audit rows form one chain: `hash` covers the row and the hash before it, `head` and
 * `checkpoint` say where the chain ends and, after retention, where it begins.
 */
export const broker: Migration = {
  id: 5,
  name: 'broker',
  sqlite: `
    create table tool_switches (
      name text primary key,
      enabled integer not null,
      changed_at integer not null,
      changed_by text not null
    ) strict, without rowid;

    create table tool_approvals (
      id text primary key,
      tool_name text not null,
      principal text not null,
      agent_id text,
      team_id text,
      args_hash text not null,
      args_summary text,
      shape text not null,
      reason text,
      status text not null default 'pending',
      task_id text,
      tenant_id text,
      call_id text not null,
      created_at integer not null,
      expires_at integer not null,
      resolved_at integer,
      resolved_by text,
      redeem_until integer,
      redeemed_by_call text,
      grant_id text
    ) strict, without rowid;
    create index tool_approvals_asked on tool_approvals (principal, tool_name, args_hash, id);
    create index tool_approvals_pending on tool_approvals (id) where status = 'pending';

    create table tool_grants (
      id text primary key,
      tool_name text not null,
      principal text not null,
      agent_id text,
      shape text not null,
      approval_id text,
      created_at integer not null,
      created_by text not null,
      expires_at integer,
      revoked_at integer,
      revoked_by text,
      uses integer not null default 0,
      last_used_at integer
    ) strict, without rowid;
    create index tool_grants_matched on tool_grants (tool_name, principal) where revoked_at is null;

    create table tool_usage (
      principal text not null,
      tool_name text not null,
      span text not null,
      window_start integer not null,
      calls integer not null,
      primary key (principal, tool_name, span)
    ) strict, without rowid;

    create table tool_audit (
      seq integer primary key,
      id text not null unique,
      call_id text not null,
      tool_name text not null,
      principal text not null,
      agent_id text,
      team_id text,
      phase text not null,
      decision text,
      reason text,
      outcome text,
      args_summary text,
      result_summary text,
      is_error integer not null,
      duration_ms integer,
      approval_id text,
      grant_id text,
      tenant_id text,
      created_at integer not null,
      hash text not null
    ) strict;
    create index tool_audit_by_tool on tool_audit (tool_name, seq);
    create index tool_audit_by_call on tool_audit (call_id, seq);

    create table tool_audit_marks (
      name text primary key,
      seq integer not null,
      hash text not null,
      removed integer not null,
      at integer not null
    ) strict, without rowid;
    insert into tool_audit_marks (name, seq, hash, removed, at)
    values ('head', 0, '', 0, 0), ('checkpoint', 0, '', 0, 0);

    create table tool_notes (
      id text primary key,
      note text not null,
      agent_id text,
      created_at integer not null
    ) strict, without rowid;

    create table tool_trash (
      id text primary key,
      workspace text not null,
      original_path text not null,
      trash_path text not null,
      deleted_at integer not null,
      deleted_by text not null,
      restored_at integer
    ) strict, without rowid;`,
  postgres: `
    create table tool_switches (
      name text collate "C" primary key,
      enabled bigint not null,
      changed_at bigint not null,
      changed_by text not null
    );

    create table tool_approvals (
      id text collate "C" primary key,
      tool_name text collate "C" not null,
      principal text collate "C" not null,
      agent_id text,
      team_id text,
      args_hash text collate "C" not null,
      args_summary text,
      shape text collate "C" not null,
      reason text,
      status text collate "C" not null default 'pending',
      task_id text,
      tenant_id text,
      call_id text collate "C" not null,
      created_at bigint not null,
      expires_at bigint not null,
      resolved_at bigint,
      resolved_by text,
      redeem_until bigint,
      redeemed_by_call text,
      grant_id text
    );
    create index tool_approvals_asked on tool_approvals (principal, tool_name, args_hash, id);
    create index tool_approvals_pending on tool_approvals (id) where status = 'pending';

    create table tool_grants (
      id text collate "C" primary key,
      tool_name text collate "C" not null,
      principal text collate "C" not null,
      agent_id text,
      shape text collate "C" not null,
      approval_id text,
      created_at bigint not null,
      created_by text not null,
      expires_at bigint,
      revoked_at bigint,
      revoked_by text,
      uses bigint not null default 0,
      last_used_at bigint
    );
    create index tool_grants_matched on tool_grants (tool_name, principal) where revoked_at is null;

    create table tool_usage (
      principal text collate "C" not null,
      tool_name text collate "C" not null,
      span text collate "C" not null,
      window_start bigint not null,
      calls bigint not null,
      primary key (principal, tool_name, span)
    );

    create table tool_audit (
      seq bigint primary key,
      id text collate "C" not null unique,
      call_id text collate "C" not null,
      tool_name text collate "C" not null,
      principal text collate "C" not null,
      agent_id text,
      team_id text,
      phase text not null,
      decision text,
      reason text,
      outcome text,
      args_summary text,
      result_summary text,
      is_error bigint not null,
      duration_ms bigint,
      approval_id text,
      grant_id text,
      tenant_id text,
      created_at bigint not null,
      hash text not null
    );
    create index tool_audit_by_tool on tool_audit (tool_name, seq);
    create index tool_audit_by_call on tool_audit (call_id, seq);

    create table tool_audit_marks (
      name text collate "C" primary key,
      seq bigint not null,
      hash text not null,
      removed bigint not null,
      at bigint not null
    );
    insert into tool_audit_marks (name, seq, hash, removed, at)
    values ('head', 0, '', 0, 0), ('checkpoint', 0, '', 0, 0);

    create table tool_notes (
      id text collate "C" primary key,
      note text not null,
      agent_id text,
      created_at bigint not null
    );

    create table tool_trash (
      id text collate "C" primary key,
      workspace text not null,
      original_path text not null,
      trash_path text not null,
      deleted_at bigint not null,
      deleted_by text not null,
      restored_at bigint
    );`,
};
