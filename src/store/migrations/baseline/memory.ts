/** Facts and procedures. */
export const memory = `
create table memory_facts (
  no int primary key,
  id exact not null unique,
  scope_no int not null references recall_scopes (no),
  title text not null,
  content text not null,
  tags text not null,
  hash exact not null,
  author text not null,
  asserted int not null,
  source text not null,
  created_at int not null,
  updated_at int not null,
  valid_from int not null,
  valid_to int,
  superseded_by exact,
  supersedes exact
);
create unique index memory_facts_once on memory_facts (scope_no, hash) where valid_to is null;
create index memory_facts_by_scope on memory_facts (scope_no, id);
create index memory_facts_by_old on memory_facts (supersedes) where supersedes is not null;
create index memory_facts_past on memory_facts (scope_no, hash) where valid_to is not null;

create table memory_procedures (
  id exact primary key,
  scope_no int not null references recall_scopes (no),
  name exact not null,
  version int not null,
  content text not null,
  author text not null,
  asserted int not null,
  source text not null,
  created_at int not null,
  no int,
  unique (scope_no, name, version)
) rowless;
create index memory_procedures_filed on memory_procedures (no) where no is not null;

create table memory_withheld (
  id exact primary key,
  scope_no int not null references recall_scopes (no),
  kind text not null,
  entry text not null,
  at int not null,
  until int not null
) rowless;
create index memory_withheld_due on memory_withheld (until);
`;
