import type { Migration } from './migration.ts';

/**
 * What clients wrote about their sessions. Every row of `transcripts` and `transcript_files` names its host and owner. The words
 * of a turn are indexed without a copy and without positions; phrases are verified on what is found.
 */
export const sessions: Migration = {
  id: 40,
  name: 'sessions',
  schema: `
create table transcripts (
  id exact primary key,
  host exact not null,
  owner exact not null,
  client exact not null,
  client_id exact not null,
  ground exact not null,
  folder exact,
  project exact,
  branch exact,
  model exact,
  title text,
  parent exact,
  run exact,
  task exact,
  started_at int not null,
  ended_at int not null,
  turns int not null,
  tokens_in int,
  tokens_out int,
  cost_usd real,
  unique (host, owner, client, client_id)
);
create index transcripts_by_end on transcripts (host, owner, ended_at, id);
create index transcripts_by_ground on transcripts (host, owner, ground, ended_at);

create table transcript_turns (
  no int primary key,
  session exact not null references transcripts (id),
  turn int not null,
  key exact not null,
  at int not null,
  kind exact not null,
  tool exact,
  text text not null,
  args text,
  is_error int not null,
  is_cut int not null,
  files text,
  marks text not null
);
create unique index transcript_turns_by_turn on transcript_turns (session, turn);
create index transcript_turns_by_key on transcript_turns (key);
@sqlite create virtual table transcript_words using fts5(words, content = '', detail = none, columnsize = 0, tokenize = "porter unicode61 remove_diacritics 2");
@sqlite insert into transcript_words (transcript_words, rank) values ('secure-delete', 1);
@postgres create index transcript_words on transcript_turns using gin ((to_tsvector('english', regexp_replace(text || ' ' || coalesce(args, ''), '[^[:alnum:]]+', ' ', 'g')) || array_to_tsvector(string_to_array(marks, ' '))));

create table transcript_files (
  host exact not null,
  owner exact not null,
  client exact not null,
  path exact not null,
  identity exact not null,
  position int not null,
  size int not null,
  changed_at real not null,
  digest exact not null,
  state text not null,
  lines int not null,
  unknown int not null,
  turns int not null,
  version exact,
  error text,
  seen_at int not null,
  primary key (host, owner, path)
);

create table transcript_forgotten (
  host exact not null,
  owner exact not null,
  digest exact not null,
  at int not null,
  primary key (host, owner, digest)
);
`,
};
