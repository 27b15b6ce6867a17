/**
 * What of a hub goes into a file that leaves it. Every table does unless it is named here: a table that a later room
 * adds is carried along without anybody having to remember. `test/store/whole-schema.test.ts` asks about every column
 * that sounds like a secret.
 */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  holdfast_schema: 'the steps of the schema; the target has its own',
  hub_imports: 'what this hub read in',
  once: 'first answers for repeated requests, which may hold a token that was just made',
  seats: 'connections of this machine',
  briefings: 'which connections of this machine were briefed',
  mcp_sessions: 'sessions signed with the key of this hub',
  source_states: 'processes of this hub',
  run_hubs: 'processes of this hub',
  run_hooks: 'webhooks with the secrets they are signed with',
  person_links: 'sign-in links',
  person_sessions: 'signed-in browsers',
  oauth_codes: 'codes of a sign-in under way',
  oauth_access_tokens: 'tokens',
  oauth_refresh_tokens: 'tokens',
  memory_withheld: 'what a person has forgotten',
  recall_fresh: 'words, made again from the items',
  transcript_files: 'how far files of this machine were read',
  lesson_scans: 'how far sessions were looked through; done again',
  watched_repositories: 'repositories of this machine',
  living_branches: 'branches of this machine, looked at again',
  collisions: 'what was found by that',
};

/** Sessions of clients go along only when their person says so. */
const OF_SESSIONS: ReadonlySet<string> = new Set([
  'transcripts',
  'transcript_turns',
  'transcript_forgotten',
  'lessons',
]);

export const isOfSessions = (table: string): boolean => OF_SESSIONS.has(table);

/** Full text and vector indexes: each engine has its own, made again from what is carried. */
const MADE_AGAIN = /^(recall_(text|near_\d|pgvector|hnsw)|transcript_words)/;

export function isLeftOut(table: string): boolean {
  return Object.hasOwn(LEFT_OUT, table) || MADE_AGAIN.test(table);
}

type Blank = Readonly<{ value: null | string | number } | { void: string }>;

/** What is written in place of a secret, or of what only this machine knows. `void`: no digest, and unlike any other row's. */
export const BLANKED: Readonly<Record<string, Readonly<Record<string, Blank>>>> = {
  agent_tokens: { hash: { void: 'id' } },
  being_api_tokens: { token_hash: { void: 'id' } },
  beings: { llm_key: { value: null }, run_holder: { value: null }, run_until: { value: 0 } },
  consumers: { holder: { value: null }, lease_until: { value: 0 } },
  brain_vaults: {
    holder: { value: null },
    lease_until: { value: 0 },
    owner: { value: null },
    owned_until: { value: 0 },
  },
  // On another machine nothing starts by itself until a person says so; the old one may still run.
  schedules: { secret: { value: null }, paused: { value: 1 } },
  // The files are others on the next machine, whatever they hold: they are looked at again.
  brain_memories: { stamp: { value: '' } },
  brain_problems: { stamp: { value: '' } },
};

/** A hub that was started and not yet used has rows here, and a file's take their place. */
export const OF_A_FRESH_HUB: ReadonlySet<string> = new Set([
  'counters',
  'events',
  'consumers',
  'jobs',
  'tool_audit_marks',
  'brain_vaults',
  'recall_scopes',
  'recall_counts',
  'recall_episodes',
]);
