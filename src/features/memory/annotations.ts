/** What all tools of the room tell a client about themselves. */
export const reading = {
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  scope: 'memory:read',
  effect: 'read',
} as const;

export const writing = {
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  scope: 'memory:write',
  effect: 'state',
} as const;
