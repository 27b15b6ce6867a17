/** The index that searches read. */
export const recall = `
create table recall_scopes (
  @sqlite no integer primary key,
  @postgres no bigint generated always as identity primary key,
  space exact not null,
  tenant exact not null,
  team exact not null,
  agent exact not null,
  stretches int not null default 0,
  unique (space, tenant, team, agent)
);

create table recall_counts (
  scope_no int not null references recall_scopes (no),
  shard int not null,
  items int not null,
  terms int not null,
  primary key (scope_no, shard)
) rowless;

create table recall_episodes (
  scope_no int not null references recall_scopes (no),
  key exact not null,
  stretch int not null,
  size int not null,
  last_at int not null,
  primary key (scope_no, key)
) rowless;

create table recall_items (
  no int primary key,
  id exact not null,
  terms text not null,
  marks text not null,
  length int not null,
  flags int not null,
  day text not null,
  is_past int not null default 0,
  @postgres words tsvector not null,
  analysis int not null default 1
);
create index recall_items_old on recall_items (no) where analysis < 2;
@postgres create index recall_items_by_word on recall_items using gin (words) with (fastupdate = off);

@sqlite create virtual table recall_text using fts5(words, content = '', detail = none, columnsize = 0, tokenize = "ascii tokenchars '.!@~:-_'");
@sqlite insert into recall_text (recall_text, rank) values ('secure-delete', 1);

@sqlite create table recall_fresh (no integer primary key, words text not null) strict;

create table recall_vectors (
  no int not null,
  model exact not null,
  dims int not null,
  embedding bytes not null,
  added_at int not null,
  @sqlite unique (model, no)
  @postgres primary key (model, no)
);
create index recall_vectors_by_item on recall_vectors (no);
create index recall_vectors_by_age on recall_vectors (model, added_at);

create table recall_pending (
  no int primary key,
  attempts int not null default 0
);

create table recall_near_duplicates (
  key int primary key,
  no int not null
);

create table recall_learnt (
  word exact not null,
  no int not null,
  scope_no int not null references recall_scopes (no),
  used_by exact not null,
  at int not null,
  primary key (word, no, scope_no, used_by)
) rowless;
create index recall_learnt_by_item on recall_learnt (no);
`;
