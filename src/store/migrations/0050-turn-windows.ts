import type { Migration } from './migration.ts';

/**
 * On PostgreSQL a turn's words also name the stretch of numbers it lies in, a short one and a long one: what is asked for is the newest, and
 * an index of words alone has to fetch everything that matches before it can tell which that is. What is no word is said by its
 * number and not by a class, which has no letters but English ones where the database's locale is C. Marks have a sign that no
 * word has, or `e1` in a question would be all errors. Nobody plans by the statistics of these words, and gathering them means taking
 * thousands of texts apart.
 */
export const turnWindows: Migration = {
  id: 50,
  name: 'turn-windows',
  schema: `
@postgres drop index transcript_words;
@postgres create index transcript_words on transcript_turns using gin ((to_tsvector('english', regexp_replace(text || ' ' || coalesce(args, ''), '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2190-\\u2bff\\u3000-\\u303f]+', ' ', 'g')) || array_to_tsvector(string_to_array('#near' || cast(no / 4096 as text) || ' #far' || cast(no / 65536 as text) || ' #' || replace(marks, ' ', ' #'), ' '))));
@postgres alter index transcript_words alter column 1 set statistics 0;
`,
};
