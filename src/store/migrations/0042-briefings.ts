import type { Migration } from './migration.ts';

/**
 * Who was briefed when, and the ways to what a briefing tells of. What is read of sessions goes into the index in larger parts,
 * which are merged less often.
 */
export const briefings: Migration = {
  id: 42,
  name: 'briefings',
  schema: `
create table briefings (
  key exact primary key,
  team exact not null,
  agent exact not null,
  at int not null
) rowless;
create index briefings_by_agent on briefings (team, agent, at);
create index tasks_finished on tasks (team_id, completed_at) where completed_at is not null and dropped = 0;
create index task_claims_by_agent on task_claims (agent_id, claimed_at);
create index memory_facts_refuted on memory_facts (refuted_at) where refuted_at is not null;
create index landings_by_end on landings (updated_at);
@sqlite insert into transcript_words (transcript_words, rank) values ('hashsize', 16777216);
@sqlite insert into transcript_words (transcript_words, rank) values ('automerge', 8);
`,
};
