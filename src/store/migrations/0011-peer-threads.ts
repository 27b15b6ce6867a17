import type { Migration } from './migration.ts';

/** The messages of a thread, and those that are settled and wait to be forgotten, are found without looking at all mail. */
const indexes = `
    create index peer_messages_by_thread on peer_messages (thread_id);
    create index peer_messages_settled on peer_messages (expires_at) where state in ('acked', 'expired');`;

export const peerThreads: Migration = { id: 11, name: 'peer-threads', sqlite: indexes, postgres: indexes };
