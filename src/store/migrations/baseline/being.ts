/** Beings and what they remember. */
export const being = `
create table beings (
  id exact primary key,
  owner exact not null,
  name text not null,
  name_key exact not null,
  marker exact,
  llm_key text,
  run_id exact,
  run_holder exact,
  run_until int not null default 0,
  created_at int not null,
  updated_at int not null,
  unique (owner, name_key)
);

create table being_docs (
  being_id exact not null references beings (id),
  target exact not null,
  key exact not null,
  content text not null,
  location text,
  meta text,
  sort int not null default 100,
  created_at int not null,
  updated_at int not null,
  primary key (being_id, target, key)
);

create table being_relations (
  being_id exact not null references beings (id),
  relation_type exact not null,
  entity_name exact not null,
  content text not null,
  created_at int not null,
  updated_at int not null,
  primary key (being_id, relation_type, entity_name)
);

create table being_notes (
  being_id exact not null references beings (id),
  id exact not null,
  kind exact not null,
  state exact not null,
  content text not null,
  created_at int not null,
  updated_at int not null,
  primary key (being_id, id)
);
create index being_notes_by_kind on being_notes (being_id, kind, state, id);

create table being_clusters (
  being_id exact not null references beings (id),
  id exact not null,
  name text not null,
  digest text not null,
  parent_id exact,
  centre bytes,
  centre_model exact,
  created_at int not null,
  updated_at int not null,
  primary key (being_id, id)
);

create table being_nodes (
  being_id exact not null references beings (id),
  id exact not null,
  no int not null,
  cluster_id exact not null,
  action text not null,
  scene text not null,
  feeling text,
  themes text not null,
  importance real not null,
  status exact not null,
  reason exact,
  replaced_by exact,
  fresh int not null,
  pinned int not null,
  cycles int not null,
  reactivations int not null,
  dying_cycles int not null,
  last_activated int not null,
  created_at int not null,
  updated_at int not null,
  primary key (being_id, id)
);
create unique index being_nodes_by_number on being_nodes (being_id, no);
create index being_nodes_by_cluster on being_nodes (being_id, cluster_id, status, importance);
create index being_nodes_by_status on being_nodes (being_id, status, last_activated);

create table being_messages (
  being_id exact not null references beings (id),
  id exact not null,
  role exact not null,
  content text not null,
  at int not null,
  is_extracted int not null,
  primary key (being_id, id)
);
create index being_messages_by_time on being_messages (being_id, at);

create table being_mail (
  being_id exact not null references beings (id),
  id exact not null,
  from_id exact not null,
  from_name text not null,
  content text not null,
  created_at int not null,
  read_at int,
  primary key (being_id, id)
);

create table being_capabilities (
  being_id exact not null references beings (id),
  id exact not null,
  bridge exact not null,
  type exact not null,
  name exact not null,
  description text not null,
  seen_until int not null,
  created_at int not null,
  primary key (being_id, id),
  unique (being_id, bridge, type, name)
);

create table being_runs (
  being_id exact not null references beings (id),
  id exact not null,
  state exact not null,
  step exact,
  marker_given exact,
  stats text not null,
  problem text,
  started_at int not null,
  ended_at int,
  primary key (being_id, id)
);

create table being_run_steps (
  being_id exact not null references beings (id),
  run_id exact not null,
  step exact not null,
  outcome exact not null,
  details text not null,
  at int not null,
  primary key (being_id, run_id, step)
);

create table being_merges (
  being_id exact not null references beings (id),
  id exact not null,
  run_id exact,
  survivor exact not null,
  absorbed text not null,
  before text not null,
  created_at int not null,
  undone_at int,
  primary key (being_id, id)
);

create table being_api_tokens (
  id exact primary key,
  token_hash exact not null unique,
  being_id exact not null references beings (id),
  scope exact not null,
  label text,
  created_at int not null,
  expires_at int,
  revoked_at int,
  used_at int
);
create index being_api_tokens_by_being on being_api_tokens (being_id);
`;
