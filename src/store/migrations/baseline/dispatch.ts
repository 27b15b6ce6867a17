/** Runs, their frames and messages. */
export const dispatch = `
create table runs (
  id exact primary key,
  instance exact not null,
  family exact not null,
  lane exact not null,
  agent exact not null,
  owner exact not null,
  team exact,
  cwd exact not null,
  prompt text not null,
  model exact,
  state exact not null,
  reason exact,
  parent exact,
  hops int not null,
  hub exact not null,
  context_id exact,
  board_task exact,
  token_id exact,
  session_id exact,
  resumes exact,
  worktree text,
  limits text not null,
  next_event int not null,
  last_message text,
  result text,
  error text,
  usage text,
  cost_usd real,
  exit_code int,
  exit_signal exact,
  created_at int not null,
  started_at int,
  closed_at int,
  project exact
) rowless;
create index runs_open on runs (hub) where state in ('pending', 'active');
create index runs_of_team on runs (team, id);
create index runs_of_agent on runs (agent);
create index runs_of_context on runs (context_id) where context_id is not null;
create index runs_of_project on runs (project, created_at) where project is not null;

create table run_events (
  run_id exact not null references runs (id) on delete cascade,
  id int not null,
  kind exact not null,
  data text not null,
  at int not null,
  primary key (run_id, id)
) rowless;

create table run_messages (
  run_id exact not null references runs (id) on delete cascade,
  id exact not null,
  kind exact not null,
  envelope text not null,
  signature exact not null,
  created_at int not null,
  primary key (run_id, id)
) rowless;

create table run_hubs (
  hub exact primary key,
  host exact not null,
  pid int not null,
  born exact not null,
  lease_until int not null
) rowless;

create table run_hooks (
  id exact primary key,
  owner exact not null,
  team exact,
  run_id exact,
  url text not null,
  secret exact not null,
  kinds text not null,
  form exact not null,
  created_at int not null,
  name exact,
  auth text
) rowless;
create index run_hooks_of_run on run_hooks (run_id);

create table run_signers (
  verifier exact primary key
) rowless;
`;
