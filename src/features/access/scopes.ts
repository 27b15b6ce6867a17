/** Every scope that some tool, route or offer asks for; test/contract/access-scopes.test.ts keeps the two alike. */
export const SCOPES = [
  'access:admin',
  'being:admin',
  'being:read',
  'being:write',
  'board:read',
  'board:write',
  'brain:read',
  'brain:write',
  'chat:read',
  'chat:write',
  'events:read',
  'hub:read',
  'memory:read',
  'memory:write',
  'peers:read',
  'peers:write',
  'projects:read',
  'projects:write',
  'runs:read',
  'runs:write',
  'tools:admin',
  'tools:approve',
  'tools:call',
  'tools:read',
] as const;

export type KnownScope = (typeof SCOPES)[number];
