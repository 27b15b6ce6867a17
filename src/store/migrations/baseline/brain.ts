/** Index and history of vaults; the files are the truth. */
export const brain = `
create table brain_vaults (
  id exact primary key,
  scope_no int not null,
  version int not null default 0,
  holder text,
  lease_until int not null default 0,
  last_consolidation int,
  last_pruning int,
  owner text,
  owned_until int not null default 0
) rowless;

create table brain_memories (
  vault exact not null,
  id exact not null,
  no int not null,
  path exact not null,
  type text not null,
  category text not null,
  name text not null,
  tags text not null,
  body text not null,
  pinned int not null,
  created_at int not null,
  updated_at int not null,
  hash text not null,
  stamp text not null,
  version int not null,
  primary key (vault, id)
);
create unique index brain_memories_path on brain_memories (vault, path);
create index brain_memories_version on brain_memories (vault, version);

create table brain_problems (
  vault exact not null,
  path exact not null,
  reason text not null,
  stamp text not null,
  primary key (vault, path)
) rowless;

create table brain_intents (
  id exact primary key,
  vault exact not null,
  entry text not null,
  created_at int not null
);
create index brain_intents_vault on brain_intents (vault, id);

create table brain_runs (
  id exact primary key,
  vault exact not null,
  state text not null,
  policy text not null,
  consolidated int not null default 0,
  promoted int not null default 0,
  pruned int not null default 0,
  started_at int not null,
  finished_at int
) rowless;
create index brain_runs_vault on brain_runs (vault, id);

create table brain_steps (
  run exact not null,
  seq int not null,
  entry text not null,
  primary key (run, seq)
);

create table credit_records (
  vault exact not null,
  id exact not null,
  score real not null,
  access_count int not null,
  created_at int not null,
  last_accessed int not null,
  version int not null,
  primary key (vault, id)
) rowless;
create index credit_records_version on credit_records (vault, version);

create table credit_events (
  id exact primary key,
  vault exact not null,
  memory_id exact not null,
  event_type text not null,
  reward real not null,
  old_score real,
  new_score real,
  session_id text,
  created_at int not null,
  access_count int,
  last_accessed int
) rowless;
create index credit_events_memory on credit_events (vault, memory_id, id);

create table credit_signals (
  vault exact not null,
  key exact not null,
  created_at int not null,
  primary key (vault, key)
) rowless;

create table turn_records (
  id exact primary key,
  vault exact not null,
  session_id exact not null,
  agent_id exact,
  retrieved_memory_ids text not null,
  outcome text,
  created_at int not null,
  last_at int not null
) rowless;
create index turn_records_session on turn_records (vault, session_id, id);
create index turn_records_agent on turn_records (vault, agent_id, id);
create index turn_records_age on turn_records (vault, last_at);

create table contradictions (
  id exact primary key,
  vault exact not null,
  memory_a_id exact not null,
  memory_b_id exact not null,
  description text not null,
  resolution text not null,
  resolved_at int,
  created_at int not null
) rowless;
create index contradictions_memory on contradictions (vault, memory_a_id);

create table lifecycle_log (
  id exact primary key,
  vault exact not null,
  run text,
  action text not null,
  target_ids text not null,
  details text not null,
  created_at int not null
) rowless;
create index lifecycle_log_vault on lifecycle_log (vault, id);
`;
