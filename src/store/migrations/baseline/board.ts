/** Tasks, claims, checks, and the notes on files that live and die with a claim. */
export const board = `
create table tasks (
  id exact primary key,
  title text not null,
  description text,
  status exact not null,
  priority int not null default 0,
  team_id exact,
  assignee_agent_id exact,
  assignee_runtime exact,
  parent_task_id exact references tasks (id),
  source_delegation_id text,
  worktree_ref text,
  branch_ref text,
  cost_usd real not null default 0,
  parent_session_id text,
  dropped int not null default 0,
  tenant_id text,
  scheduled_by text not null default 'manual',
  verification text,
  created_at int not null,
  updated_at int not null,
  completed_at int,
  fence int not null default 0,
  claim_seat exact,
  claimed_at int,
  lease_until int,
  revision int not null default 0,
  depth int not null default 1,
  child_count int not null default 0,
  claim_order int not null,
  awaited int not null default 0,
  created_by exact,
  created_seat exact,
  assigned_by exact,
  assigned_seat exact,
  shelved_at int
) rowless;
create index tasks_listed on tasks (priority desc, created_at, id) where dropped = 0;
create index tasks_by_team on tasks (team_id, priority desc, created_at, id) where dropped = 0;
create index tasks_by_status on tasks (status, priority desc, created_at, id) where dropped = 0;
create index tasks_to_claim on tasks (status, claim_order, id) where dropped = 0;
create index tasks_leased on tasks (status, lease_until) where dropped = 0;
create index tasks_by_seat on tasks (claim_seat) where claim_seat is not null;
create index tasks_by_parent on tasks (parent_task_id, id) where parent_task_id is not null;
create index tasks_awaited on tasks (assignee_agent_id, claim_order, id) where awaited = 1;

create table task_claims (
  task_id exact not null references tasks (id),
  fence int not null,
  agent_id exact not null,
  seat exact,
  asserted int not null,
  claimed_at int not null,
  ended_at int,
  ended_by text,
  primary key (task_id, fence)
) rowless;

create table task_dependencies (
  task_id exact not null references tasks (id),
  depends_on_task_id exact not null references tasks (id),
  created_at int not null,
  primary key (task_id, depends_on_task_id)
) rowless;
create index task_dependencies_reversed on task_dependencies (depends_on_task_id, task_id);

create table task_comments (
  id exact primary key,
  task_id exact not null references tasks (id),
  author_agent_id text,
  author_type text not null,
  body text not null,
  tenant_id text,
  created_at int not null
) rowless;
create index task_comments_by_task on task_comments (task_id, id);

create table task_checks (
  id exact primary key,
  task_id exact not null references tasks (id),
  title text not null,
  required int not null,
  created_at int not null
) rowless;
create index task_checks_by_task on task_checks (task_id, id);

create table task_evidence (
  id exact primary key,
  task_id exact not null references tasks (id),
  check_id exact not null references task_checks (id),
  revision int not null,
  passed int not null,
  summary text not null,
  reference text,
  author_agent_id text,
  asserted int not null,
  fence int not null,
  created_at int not null
) rowless;
create index task_evidence_by_check on task_evidence (check_id, id);
create index task_evidence_by_task on task_evidence (task_id, id);

create table task_windows (
  team_id exact not null,
  starts_at int not null,
  created int not null,
  primary key (team_id, starts_at)
) rowless;

create table task_labels (
  task_id exact not null references tasks (id),
  label exact not null,
  primary key (task_id, label)
) rowless;
create index task_labels_by_label on task_labels (label, task_id);

create table task_undos (
  id exact primary key,
  actor exact not null,
  task_id exact not null,
  what text not null,
  before text,
  left_at int not null,
  at int not null
) rowless;
create index task_undos_by_actor on task_undos (actor, id);

create table file_reservations (
  id exact primary key,
  task_id exact not null references tasks (id),
  fence int not null,
  root exact not null,
  pattern exact not null,
  exclusive int not null,
  reason text,
  created_at int not null,
  unique (task_id, fence, root, pattern)
) rowless;
create index file_reservations_by_root on file_reservations (root);
`;
