import type { Migration } from './migration.ts';

/**
 * Runs of agents. `next_event` numbers the events of one run and moves only while the run is not over, so that nothing can
 * follow its `terminal` event. `run_hubs` tells which process runs what: a run whose hub no longer renews its lease is lost.
 */
export const dispatch: Migration = {
  id: 20,
  name: 'dispatch',
  sqlite: body({ text: 'text', int: 'integer', real: 'real', end: ') strict, without rowid;' }),
  postgres: body({ text: 'text collate "C"', int: 'bigint', real: 'double precision', end: ');' }),
};

type Words = Readonly<{ text: string; int: string; real: string; end: string }>;

function body({ text, int, real, end }: Words): string {
  return `
    create table runs (
      id ${text} primary key,
      instance ${text} not null,
      family ${text} not null,
      lane ${text} not null,
      agent ${text} not null,
      owner ${text} not null,
      team ${text},
      cwd ${text} not null,
      prompt text not null,
      model ${text},
      state ${text} not null,
      reason ${text},
      parent ${text},
      hops ${int} not null,
      hub ${text} not null,
      context_id ${text},
      board_task ${text},
      token_id ${text},
      session_id ${text},
      resumes ${text},
      worktree text,
      limits text not null,
      next_event ${int} not null,
      last_message text,
      result text,
      error text,
      usage text,
      cost_usd ${real},
      exit_code ${int},
      exit_signal ${text},
      created_at ${int} not null,
      started_at ${int},
      closed_at ${int}
    ${end}
    create index runs_open on runs (hub) where state in ('pending', 'active');
    create index runs_of_team on runs (team, id);
    create index runs_of_agent on runs (agent);
    create index runs_of_context on runs (context_id) where context_id is not null;

    create table run_events (
      run_id ${text} not null references runs (id) on delete cascade,
      id ${int} not null,
      kind ${text} not null,
      data text not null,
      at ${int} not null,
      primary key (run_id, id)
    ${end}

    create table run_messages (
      run_id ${text} not null references runs (id) on delete cascade,
      id ${text} not null,
      kind ${text} not null,
      envelope text not null,
      signature ${text} not null,
      created_at ${int} not null,
      primary key (run_id, id)
    ${end}

    create table run_hubs (
      hub ${text} primary key,
      host ${text} not null,
      pid ${int} not null,
      born ${text} not null,
      lease_until ${int} not null
    ${end}

    create table run_hooks (
      id ${text} primary key,
      owner ${text} not null,
      team ${text},
      run_id ${text},
      url text not null,
      secret ${text} not null,
      kinds text not null,
      form ${text} not null,
      created_at ${int} not null
    ${end}`;
}
