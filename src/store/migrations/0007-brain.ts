import type { Migration } from './migration.ts';

/**
 * The brain. The vault's files are the truth; here are their index (`brain_*`) and the ledger, whose tables bear the
 * documented names. `version` is taken from the vault's own counter at every change, so that a process that keeps a
 * copy asks only for what is newer. Events hold no reference to records: a record goes, its history stays.
 */
export const brain: Migration = {
  id: 7,
  name: 'brain',
  sqlite: `
    create table brain_vaults (
      id text primary key,
      scope_no integer not null,
      version integer not null default 0,
      holder text,
      lease_until integer not null default 0,
      last_consolidation integer,
      last_pruning integer
    ) strict, without rowid;

    create table brain_memories (
      vault text not null,
      id text not null,
      no integer not null,
      path text not null,
      type text not null,
      category text not null,
      name text not null,
      tags text not null,
      body text not null,
      pinned integer not null,
      created_at integer not null,
      updated_at integer not null,
      hash text not null,
      stamp text not null,
      version integer not null,
      primary key (vault, id)
    ) strict;
    create unique index brain_memories_path on brain_memories (vault, path);
    create index brain_memories_version on brain_memories (vault, version);

    create table brain_problems (
      vault text not null,
      path text not null,
      reason text not null,
      stamp text not null,
      primary key (vault, path)
    ) strict, without rowid;

    create table brain_intents (
      id text primary key,
      vault text not null,
      entry text not null,
      created_at integer not null
    ) strict;
    create index brain_intents_vault on brain_intents (vault, id);

    create table brain_runs (
      id text primary key,
      vault text not null,
      state text not null,
      policy text not null,
      consolidated integer not null default 0,
      promoted integer not null default 0,
      pruned integer not null default 0,
      started_at integer not null,
      finished_at integer
    ) strict, without rowid;
    create index brain_runs_vault on brain_runs (vault, id);

    create table brain_steps (
      run text not null,
      seq integer not null,
      entry text not null,
      primary key (run, seq)
    ) strict;

    create table credit_records (
      vault text not null,
      id text not null,
      score real not null,
      access_count integer not null,
      created_at integer not null,
      last_accessed integer not null,
      version integer not null,
      primary key (vault, id)
    ) strict, without rowid;
    create index credit_records_version on credit_records (vault, version);

    create table credit_events (
      id text primary key,
      vault text not null,
      memory_id text not null,
      event_type text not null,
      reward real not null,
      old_score real,
      new_score real,
      session_id text,
      created_at integer not null
    ) strict, without rowid;
    create index credit_events_memory on credit_events (vault, memory_id, id);

    create table credit_signals (
      vault text not null,
      key text not null,
      created_at integer not null,
      primary key (vault, key)
    ) strict, without rowid;

    create table turn_records (
      id text primary key,
      vault text not null,
      session_id text not null,
      agent_id text,
      retrieved_memory_ids text not null,
      outcome text,
      created_at integer not null,
      last_at integer not null
    ) strict, without rowid;
    create index turn_records_session on turn_records (vault, session_id, id);
    create index turn_records_agent on turn_records (vault, agent_id, id);
    create index turn_records_age on turn_records (vault, last_at);

    create table contradictions (
      id text primary key,
      vault text not null,
      memory_a_id text not null,
      memory_b_id text not null,
      description text not null,
      resolution text not null,
      resolved_at integer,
      created_at integer not null
    ) strict, without rowid;
    create index contradictions_memory on contradictions (vault, memory_a_id);

    create table lifecycle_log (
      id text primary key,
      vault text not null,
      run text,
      action text not null,
      target_ids text not null,
      details text not null,
      created_at integer not null
    ) strict, without rowid;
    create index lifecycle_log_vault on lifecycle_log (vault, id);`,
  postgres: `
    create table brain_vaults (
      id text collate "C" primary key,
      scope_no bigint not null,
      version bigint not null default 0,
      holder text,
      lease_until bigint not null default 0,
      last_consolidation bigint,
      last_pruning bigint
    );

    create table brain_memories (
      vault text collate "C" not null,
      id text collate "C" not null,
      no bigint not null,
      path text collate "C" not null,
      type text not null,
      category text not null,
      name text not null,
      tags text not null,
      body text not null,
      pinned bigint not null,
      created_at bigint not null,
      updated_at bigint not null,
      hash text not null,
      stamp text not null,
      version bigint not null,
      primary key (vault, id)
    );
    create unique index brain_memories_path on brain_memories (vault, path);
    create index brain_memories_version on brain_memories (vault, version);

    create table brain_problems (
      vault text collate "C" not null,
      path text collate "C" not null,
      reason text not null,
      stamp text not null,
      primary key (vault, path)
    );

    create table brain_intents (
      id text collate "C" primary key,
      vault text collate "C" not null,
      entry text not null,
      created_at bigint not null
    );
    create index brain_intents_vault on brain_intents (vault, id);

    create table brain_runs (
      id text collate "C" primary key,
      vault text collate "C" not null,
      state text not null,
      policy text not null,
      consolidated bigint not null default 0,
      promoted bigint not null default 0,
      pruned bigint not null default 0,
      started_at bigint not null,
      finished_at bigint
    );
    create index brain_runs_vault on brain_runs (vault, id);

    create table brain_steps (
      run text collate "C" not null,
      seq bigint not null,
      entry text not null,
      primary key (run, seq)
    );

    create table credit_records (
      vault text collate "C" not null,
      id text collate "C" not null,
      score double precision not null,
      access_count bigint not null,
      created_at bigint not null,
      last_accessed bigint not null,
      version bigint not null,
      primary key (vault, id)
    );
    create index credit_records_version on credit_records (vault, version);

    create table credit_events (
      id text collate "C" primary key,
      vault text collate "C" not null,
      memory_id text collate "C" not null,
      event_type text not null,
      reward double precision not null,
      old_score double precision,
      new_score double precision,
      session_id text,
      created_at bigint not null
    );
    create index credit_events_memory on credit_events (vault, memory_id, id);

    create table credit_signals (
      vault text collate "C" not null,
      key text collate "C" not null,
      created_at bigint not null,
      primary key (vault, key)
    );

    create table turn_records (
      id text collate "C" primary key,
      vault text collate "C" not null,
      session_id text collate "C" not null,
      agent_id text collate "C",
      retrieved_memory_ids text not null,
      outcome text,
      created_at bigint not null,
      last_at bigint not null
    );
    create index turn_records_session on turn_records (vault, session_id, id);
    create index turn_records_agent on turn_records (vault, agent_id, id);
    create index turn_records_age on turn_records (vault, last_at);

    create table contradictions (
      id text collate "C" primary key,
      vault text collate "C" not null,
      memory_a_id text collate "C" not null,
      memory_b_id text collate "C" not null,
      description text not null,
      resolution text not null,
      resolved_at bigint,
      created_at bigint not null
    );
    create index contradictions_memory on contradictions (vault, memory_a_id);

    create table lifecycle_log (
      id text collate "C" primary key,
      vault text collate "C" not null,
      run text,
      action text not null,
      target_ids text not null,
      details text not null,
      created_at bigint not null
    );
    create index lifecycle_log_vault on lifecycle_log (vault, id);`,
};
