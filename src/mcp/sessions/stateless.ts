import { newId } from '../../kernel/ids.ts';
import { NO_ABILITIES } from '../protocol/abilities.ts';
import type { Session } from './sessions.ts';

/** What a request without a version is taken for: the revision in which the header was not yet required. */
export const UNSAID_VERSION = '2025-03-26';

/**
 * A session for one request, on servers that have none: no id to show, and a seat of its own, so that two clients that
 * number their requests alike are never taken for one.
 */
export function statelessSession(
  facts: Pick<Session, 'server' | 'version' | 'profile' | 'owner' | 'openedAt'>,
): Session {
  return { ...facts, id: '', seat: `stateless:${newId()}`, can: NO_ABILITIES, bound: {}, client: '' };
}
