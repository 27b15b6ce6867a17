/** The words of the register and of the mail, spelled as their documented clients spell them. */
export const STATUSES = ['online', 'busy', 'offline'] as const;
export type PeerStatus = (typeof STATUSES)[number];

export const ROLES = ['agent', 'orchestrator'] as const;
export type Role = (typeof ROLES)[number];

export const TYPES = ['query', 'response', 'notification', 'broadcast'] as const;
export type MessageType = (typeof TYPES)[number];

export const STATES = ['queued', 'delivered', 'acked', 'expired'] as const;
export type MessageState = (typeof STATES)[number];
