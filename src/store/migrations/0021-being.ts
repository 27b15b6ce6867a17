import type { Migration } from './migration.ts';

/**
 * Beings, and the ways to be let in to one: API tokens, OAuth, and the person who consents. Every row of a Being has
 * its id first, so that no statement can forget it. Times are milliseconds; lists and scenes are JSON text.
 */
const TABLES = `
    create table beings (
      id TEXT primary key,
      owner TEXT not null,
      name text not null,
      name_key TEXT not null,
      marker TEXT,
      llm_key text,
      run_id TEXT,
      run_holder TEXT,
      run_until INTEGER not null default 0,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      unique (owner, name_key)
    )STRICT;

    create table being_docs (
      being_id TEXT not null references beings (id),
      target TEXT not null,
      key TEXT not null,
      content text not null,
      location text,
      meta text,
      sort INTEGER not null default 100,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      primary key (being_id, target, key)
    )STRICT;

    create table being_relations (
      being_id TEXT not null references beings (id),
      relation_type TEXT not null,
      entity_name TEXT not null,
      content text not null,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      primary key (being_id, relation_type, entity_name)
    )STRICT;

    create table being_notes (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      kind TEXT not null,
      state TEXT not null,
      content text not null,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      primary key (being_id, id)
    )STRICT;
    create index being_notes_by_kind on being_notes (being_id, kind, state, id);

    create table being_clusters (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      name text not null,
      digest text not null,
      parent_id TEXT,
      centre BLOB,
      centre_model TEXT,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      primary key (being_id, id)
    )STRICT;

    create table being_nodes (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      no INTEGER not null,
      cluster_id TEXT not null,
      action text not null,
      scene text not null,
      feeling text,
      themes text not null,
      importance REAL not null,
      status TEXT not null,
      reason TEXT,
      replaced_by TEXT,
      fresh INTEGER not null,
      pinned INTEGER not null,
      cycles INTEGER not null,
      reactivations INTEGER not null,
      dying_cycles INTEGER not null,
      last_activated INTEGER not null,
      created_at INTEGER not null,
      updated_at INTEGER not null,
      primary key (being_id, id)
    )STRICT;
    create unique index being_nodes_by_number on being_nodes (being_id, no);
    create index being_nodes_by_cluster on being_nodes (being_id, cluster_id, status, importance);
    create index being_nodes_by_status on being_nodes (being_id, status, last_activated);

    create table being_messages (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      role TEXT not null,
      content text not null,
      at INTEGER not null,
      is_extracted INTEGER not null,
      primary key (being_id, id)
    )STRICT;
    create index being_messages_by_time on being_messages (being_id, at);

    create table being_mail (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      from_id TEXT not null,
      from_name text not null,
      content text not null,
      created_at INTEGER not null,
      read_at INTEGER,
      primary key (being_id, id)
    )STRICT;

    create table being_capabilities (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      bridge TEXT not null,
      type TEXT not null,
      name TEXT not null,
      description text not null,
      seen_until INTEGER not null,
      created_at INTEGER not null,
      primary key (being_id, id),
      unique (being_id, bridge, type, name)
    )STRICT;

    create table being_runs (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      state TEXT not null,
      step TEXT,
      marker_given TEXT,
      stats text not null,
      problem text,
      started_at INTEGER not null,
      ended_at INTEGER,
      primary key (being_id, id)
    )STRICT;

    create table being_run_steps (
      being_id TEXT not null references beings (id),
      run_id TEXT not null,
      step TEXT not null,
      outcome TEXT not null,
      details text not null,
      at INTEGER not null,
      primary key (being_id, run_id, step)
    )STRICT;

    create table being_merges (
      being_id TEXT not null references beings (id),
      id TEXT not null,
      run_id TEXT,
      survivor TEXT not null,
      absorbed text not null,
      before text not null,
      created_at INTEGER not null,
      undone_at INTEGER,
      primary key (being_id, id)
    )STRICT;

    create table being_api_tokens (
      id TEXT primary key,
      token_hash TEXT not null unique,
      being_id TEXT not null references beings (id),
      scope TEXT not null,
      label text,
      created_at INTEGER not null,
      expires_at INTEGER,
      revoked_at INTEGER,
      used_at INTEGER
    )STRICT;
    create index being_api_tokens_by_being on being_api_tokens (being_id);

    create table oauth_clients (
      client_id TEXT primary key,
      client_name text not null,
      redirect_uris text not null,
      created_at INTEGER not null,
      used_at INTEGER
    )STRICT;
    create index oauth_clients_by_age on oauth_clients (created_at);

    create table oauth_codes (
      code_hash TEXT primary key,
      family TEXT not null,
      client_id TEXT not null,
      being_id TEXT not null references beings (id),
      scope TEXT not null,
      redirect_uri TEXT not null,
      resource TEXT,
      code_challenge TEXT not null,
      created_at INTEGER not null,
      expires_at INTEGER not null,
      used_at INTEGER
    )STRICT;
    create index oauth_codes_by_being on oauth_codes (being_id);

    create table oauth_access_tokens (
      token_hash TEXT primary key,
      family TEXT not null,
      client_id TEXT not null,
      being_id TEXT not null references beings (id),
      scope TEXT not null,
      created_at INTEGER not null,
      expires_at INTEGER not null,
      revoked_at INTEGER
    )STRICT;
    create index oauth_access_tokens_by_family on oauth_access_tokens (family);
    create index oauth_access_tokens_by_being on oauth_access_tokens (being_id);

    create table oauth_refresh_tokens (
      token_hash TEXT primary key,
      family TEXT not null,
      client_id TEXT not null,
      being_id TEXT not null references beings (id),
      scope TEXT not null,
      resource TEXT,
      created_at INTEGER not null,
      expires_at INTEGER not null,
      used_at INTEGER,
      revoked_at INTEGER
    )STRICT;
    create index oauth_refresh_tokens_by_family on oauth_refresh_tokens (family);
    create index oauth_refresh_tokens_by_being on oauth_refresh_tokens (being_id);

    create table person_links (
      link_hash TEXT primary key,
      created_at INTEGER not null,
      expires_at INTEGER not null,
      used_at INTEGER
    )STRICT;

    create table person_sessions (
      session_hash TEXT primary key,
      created_at INTEGER not null,
      expires_at INTEGER not null,
      revoked_at INTEGER
    )STRICT;`;

/** The words in capitals are what the engines spell differently; ids and keys compare by bytes on both. */
const SQLITE: Readonly<Record<string, string>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  REAL: 'real',
  BLOB: 'blob',
  STRICT: ' strict',
};
const POSTGRES: Readonly<Record<string, string>> = {
  TEXT: 'text collate "C"',
  INTEGER: 'bigint',
  REAL: 'double precision',
  BLOB: 'bytea',
  STRICT: '',
};

function spell(words: Readonly<Record<string, string>>): string {
  return TABLES.replace(/\b(?:TEXT|INTEGER|REAL|BLOB)\b|(?<=\))STRICT/g, (word) => words[word]!);
}

export const being: Migration = { id: 21, name: 'being', sqlite: spell(SQLITE), postgres: spell(POSTGRES) };
