/** Tokens, sessions, seats, and OAuth. */
export const access = `
create table agent_tokens (
  id exact primary key,
  hash text not null,
  agent exact not null,
  team exact,
  scopes text not null,
  label text,
  created_at int not null,
  expires_at int,
  revoked_at int,
  used_at int,
  profile text
) rowless;

create table mcp_sessions (
  seat exact primary key,
  seen_at int not null,
  ended int not null,
  until int not null
) rowless;
create index mcp_sessions_until on mcp_sessions (until);

create table attach_revocations (
  id text primary key,
  revoked_at int not null,
  until int not null
) rowless;

create table seats (
  seat exact primary key,
  name exact not null,
  is_bound int not null,
  team_id exact not null,
  client text not null,
  server text not null,
  pid int,
  parent int,
  host text,
  opened_at int not null,
  called_at int not null,
  seen_at int not null,
  ended_at int
) rowless;
create index seats_living on seats (team_id, name) where ended_at is null;
create index seats_by_sign on seats (seen_at);

create table oauth_clients (
  client_id exact primary key,
  client_name text not null,
  redirect_uris text not null,
  created_at int not null,
  used_at int
);
create index oauth_clients_by_age on oauth_clients (created_at);

create table oauth_codes (
  code_hash exact primary key,
  family exact not null,
  client_id exact not null,
  being_id exact not null references beings (id),
  scope exact not null,
  redirect_uri exact not null,
  resource exact,
  code_challenge exact not null,
  created_at int not null,
  expires_at int not null,
  used_at int
);
create index oauth_codes_by_being on oauth_codes (being_id);

create table oauth_access_tokens (
  token_hash exact primary key,
  family exact not null,
  client_id exact not null,
  being_id exact not null references beings (id),
  scope exact not null,
  created_at int not null,
  expires_at int not null,
  revoked_at int
);
create index oauth_access_tokens_by_family on oauth_access_tokens (family);
create index oauth_access_tokens_by_being on oauth_access_tokens (being_id);

create table oauth_refresh_tokens (
  token_hash exact primary key,
  family exact not null,
  client_id exact not null,
  being_id exact not null references beings (id),
  scope exact not null,
  resource exact,
  created_at int not null,
  expires_at int not null,
  used_at int,
  revoked_at int
);
create index oauth_refresh_tokens_by_family on oauth_refresh_tokens (family);
create index oauth_refresh_tokens_by_being on oauth_refresh_tokens (being_id);

create table person_links (
  link_hash exact primary key,
  created_at int not null,
  expires_at int not null,
  used_at int
);

create table person_sessions (
  session_hash exact primary key,
  created_at int not null,
  expires_at int not null,
  revoked_at int
);
`;
