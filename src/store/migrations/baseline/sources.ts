/** What servers of others said of themselves. */
export const sources = `
create table source_tools (
  source exact not null,
  tool exact not null,
  hash text not null,
  definition text not null,
  approved_hash text,
  approved_definition text,
  approved_at int,
  approved_by text,
  first_seen_at int not null,
  changed_at int not null,
  primary key (source, tool)
) rowless;

create table source_states (
  hub exact not null,
  source exact not null,
  state text not null,
  reason text,
  pid int,
  tools int not null,
  changed_at int not null,
  primary key (hub, source)
) rowless;
`;
