import type { Migration } from './migration.ts';

/**
 * The words that stand in a turn only inside names of code, indexed with it: `user` in `getUserById`. They are kept, since an index without a
 * copy has to be told the same words when a turn goes. Turns of before have none, and are found as they were.
 */
export const turnParts: Migration = {
  id: 57,
  name: 'turn-parts',
  schema: `
alter table transcript_turns add column parts text not null default '';
@postgres drop index transcript_words;
@postgres create index transcript_words on transcript_turns using gin ((to_tsvector('english', regexp_replace(text || ' ' || coalesce(args, '') || ' ' || parts, '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2190-\\u2bff\\u3000-\\u303f]+', ' ', 'g')) || array_to_tsvector(string_to_array('#near' || cast(no / 4096 as text) || ' #far' || cast(no / 65536 as text) || ' #' || replace(marks, ' ', ' #'), ' '))));
@postgres alter index transcript_words alter column 1 set statistics 0;
`,
};
