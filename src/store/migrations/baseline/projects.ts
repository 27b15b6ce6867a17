/** Which folders are which team. */
export const projects = `
create table projects (
  team_id exact primary key,
  name text not null,
  created_at int not null
) rowless;

create table project_keys (
  kind exact not null,
  value exact not null,
  team_id exact not null references projects (team_id),
  created_at int not null,
  primary key (kind, value)
) rowless;
create index project_keys_by_team on project_keys (team_id);
`;
