import type { Migration } from './migration.ts';

/** Agent tokens, known by their hash alone, and what is remembered of MCP sessions. */
export const access: Migration = {
  id: 4,
  name: 'access',
  sqlite: `
    create table agent_tokens (
      id text primary key,
      hash text not null,
      agent text not null,
      team text,
      scopes text not null,
      label text,
      created_at integer not null,
      expires_at integer,
      revoked_at integer,
      used_at integer
    ) strict, without rowid;

    create table mcp_sessions (
      seat text primary key,
      seen_at integer not null,
      ended integer not null,
      until integer not null
    ) strict, without rowid;
    create index mcp_sessions_until on mcp_sessions (until);`,
  postgres: `
    create table agent_tokens (
      id text collate "C" primary key,
      hash text not null,
      agent text collate "C" not null,
      team text collate "C",
      scopes text not null,
      label text,
      created_at bigint not null,
      expires_at bigint,
      revoked_at bigint,
      used_at bigint
    );

    create table mcp_sessions (
      seat text collate "C" primary key,
      seen_at bigint not null,
      ended bigint not null,
      until bigint not null
    );
    create index mcp_sessions_until on mcp_sessions (until);`,
};
