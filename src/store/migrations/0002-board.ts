import type { Migration } from './migration.ts';

/**
 * The board. A claim lives in its task's row (`fence`, `claim_seat`, `claimed_at`, `lease_until`), so one
 * statement takes it; `task_claims` remembers every acquisition, to tell a stale holder what became of its own.
 * `claim_order` is the ageing order, fixed at creation so that an index can serve it.
 */
export const board: Migration = {
  id: 2,
  name: 'board',
  sqlite: `
    create table tasks (
      id text primary key,
      title text not null,
      description text,
      status text not null,
      priority integer not null default 0,
      team_id text,
      assignee_agent_id text,
      assignee_runtime text,
      parent_task_id text references tasks (id),
      source_delegation_id text,
      worktree_ref text,
      branch_ref text,
      cost_usd real not null default 0,
      parent_session_id text,
      dropped integer not null default 0,
      tenant_id text,
      scheduled_by text not null default 'manual',
      verification text,
      created_at integer not null,
      updated_at integer not null,
      completed_at integer,
      fence integer not null default 0,
      claim_seat text,
      claimed_at integer,
      lease_until integer,
      revision integer not null default 0,
      depth integer not null default 1,
      child_count integer not null default 0,
      claim_order integer not null
    ) strict, without rowid;
    create index tasks_listed on tasks (priority desc, created_at, id) where dropped = 0;
    create index tasks_by_team on tasks (team_id, priority desc, created_at, id) where dropped = 0;
    create index tasks_by_status on tasks (status, priority desc, created_at, id) where dropped = 0;
    create index tasks_to_claim on tasks (status, claim_order, id) where dropped = 0;
    create index tasks_leased on tasks (status, lease_until) where dropped = 0;
    create index tasks_by_seat on tasks (claim_seat) where claim_seat is not null;
    create index tasks_by_parent on tasks (parent_task_id, id) where parent_task_id is not null;

    create table task_claims (
      task_id text not null references tasks (id),
      fence integer not null,
      agent_id text not null,
      seat text,
      asserted integer not null,
      claimed_at integer not null,
      ended_at integer,
      ended_by text,
      primary key (task_id, fence)
    ) strict, without rowid;

    create table task_dependencies (
      task_id text not null references tasks (id),
      depends_on_task_id text not null references tasks (id),
      created_at integer not null,
      primary key (task_id, depends_on_task_id)
    ) strict, without rowid;
    create index task_dependencies_reversed on task_dependencies (depends_on_task_id, task_id);

    create table task_comments (
      id text primary key,
      task_id text not null references tasks (id),
      author_agent_id text,
      author_type text not null,
      body text not null,
      tenant_id text,
      created_at integer not null
    ) strict, without rowid;
    create index task_comments_by_task on task_comments (task_id, id);

    create table task_checks (
      id text primary key,
      task_id text not null references tasks (id),
      title text not null,
      required integer not null,
      created_at integer not null
    ) strict, without rowid;
    create index task_checks_by_task on task_checks (task_id, id);

    create table task_evidence (
      id text primary key,
      task_id text not null references tasks (id),
      check_id text not null references task_checks (id),
      revision integer not null,
      passed integer not null,
      summary text not null,
      reference text,
      author_agent_id text,
      asserted integer not null,
      fence integer not null,
      created_at integer not null
    ) strict, without rowid;
    create index task_evidence_by_check on task_evidence (check_id, id);
    create index task_evidence_by_task on task_evidence (task_id, id);

    create table task_windows (
      team_id text not null,
      starts_at integer not null,
      created integer not null,
      primary key (team_id, starts_at)
    ) strict, without rowid;`,
  postgres: `
    create table tasks (
      id text collate "C" primary key,
      title text not null,
      description text,
      status text collate "C" not null,
      priority bigint not null default 0,
      team_id text collate "C",
      assignee_agent_id text collate "C",
      assignee_runtime text collate "C",
      parent_task_id text collate "C" references tasks (id),
      source_delegation_id text,
      worktree_ref text,
      branch_ref text,
      cost_usd double precision not null default 0,
      parent_session_id text,
      dropped bigint not null default 0,
      tenant_id text,
      scheduled_by text not null default 'manual',
      verification text,
      created_at bigint not null,
      updated_at bigint not null,
      completed_at bigint,
      fence bigint not null default 0,
      claim_seat text collate "C",
      claimed_at bigint,
      lease_until bigint,
      revision bigint not null default 0,
      depth bigint not null default 1,
      child_count bigint not null default 0,
      claim_order bigint not null
    );
    create index tasks_listed on tasks (priority desc, created_at, id) where dropped = 0;
    create index tasks_by_team on tasks (team_id, priority desc, created_at, id) where dropped = 0;
    create index tasks_by_status on tasks (status, priority desc, created_at, id) where dropped = 0;
    create index tasks_to_claim on tasks (status, claim_order, id) where dropped = 0;
    create index tasks_leased on tasks (status, lease_until) where dropped = 0;
    create index tasks_by_seat on tasks (claim_seat) where claim_seat is not null;
    create index tasks_by_parent on tasks (parent_task_id, id) where parent_task_id is not null;

    create table task_claims (
      task_id text collate "C" not null references tasks (id),
      fence bigint not null,
      agent_id text collate "C" not null,
      seat text collate "C",
      asserted bigint not null,
      claimed_at bigint not null,
      ended_at bigint,
      ended_by text,
      primary key (task_id, fence)
    );

    create table task_dependencies (
      task_id text collate "C" not null references tasks (id),
      depends_on_task_id text collate "C" not null references tasks (id),
      created_at bigint not null,
      primary key (task_id, depends_on_task_id)
    );
    create index task_dependencies_reversed on task_dependencies (depends_on_task_id, task_id);

    create table task_comments (
      id text collate "C" primary key,
      task_id text collate "C" not null references tasks (id),
      author_agent_id text,
      author_type text not null,
      body text not null,
      tenant_id text,
      created_at bigint not null
    );
    create index task_comments_by_task on task_comments (task_id, id);

    create table task_checks (
      id text collate "C" primary key,
      task_id text collate "C" not null references tasks (id),
      title text not null,
      required bigint not null,
      created_at bigint not null
    );
    create index task_checks_by_task on task_checks (task_id, id);

    create table task_evidence (
      id text collate "C" primary key,
      task_id text collate "C" not null references tasks (id),
      check_id text collate "C" not null references task_checks (id),
      revision bigint not null,
      passed bigint not null,
      summary text not null,
      reference text,
      author_agent_id text,
      asserted bigint not null,
      fence bigint not null,
      created_at bigint not null
    );
    create index task_evidence_by_check on task_evidence (check_id, id);
    create index task_evidence_by_task on task_evidence (task_id, id);

    create table task_windows (
      team_id text collate "C" not null,
      starts_at bigint not null,
      created bigint not null,
      primary key (team_id, starts_at)
    );`,
};
