import { createHash } from 'node:crypto';
import { HubError } from '../../kernel/errors.ts';
import type { Actor, Principal } from '../../kernel/principal.ts';
import type { Once } from '../../store/database.ts';
import { onceKey } from '../../store/once-key.ts';

/** Who makes a change on the board, as far as credential, seat and arguments tell. */
export type Caller = Readonly<{
  who: Principal;
  /** The agent it acts as; undefined when nothing names one. */
  agent: string | undefined;
  /** The agent was named by an argument only. */
  asserted: boolean;
  /**
   * What its claims are known by: a digest, since a seat may be a session id, which is as good as a key. A bound
   * agent that comes without a connection is known by its credential. Null for who has neither.
   */
  seat: string | null;
  fence: number | undefined;
}>;

export type Claims = Readonly<{ agentId?: string | undefined; fence?: number | undefined }>;

/** A credential beats an argument: a bound agent that names another one is refused, not renamed. */
export function identify(who: Principal, claims: Claims = {}): Caller {
  const bound = who.bound.agent;
  if (bound !== undefined && claims.agentId !== undefined && claims.agentId !== bound) {
    throw new HubError('forbidden', `This connection belongs to the agent ${bound} and cannot act as ${claims.agentId}.`, {
      boundAgentId: bound,
      hint: 'Leave the agent out, or name your own.',
    });
  }
  return {
    who,
    agent: bound ?? claims.agentId,
    asserted: bound === undefined,
    seat: seatOf(who),
    fence: claims.fence,
  };
}

function seatOf({ seat, bound }: Principal): string | null {
  const known = seat !== '' ? seat : bound.agent === undefined ? undefined : `agent:${bound.agent}`;
  return known === undefined ? null : createHash('sha256').update(known).digest('hex').slice(0, 32);
}

/** The bound agent, else the agent whose claim this seat made, else the one the call names, else the principal itself. */
export function actorOf(caller: Caller, seatAgent?: string): Actor {
  const bound = caller.who.bound.agent;
  if (bound !== undefined) return { id: bound, asserted: false };
  const named = seatAgent ?? caller.agent;
  return named === undefined ? { id: caller.who.id, asserted: false } : { id: named, asserted: true };
}

/** One principal, one tool, one key: one change. */
export function onceOf(caller: Caller, tool: string, args: Readonly<Record<string, unknown>>): Once | undefined {
  const { kind, id, bound } = caller.who;
  return onceKey([kind, id, bound.team ?? '', caller.agent ?? ''], tool, args);
}
