import type { Principal } from '../../kernel/principal.ts';

/**
 * Who a call is charged to. The seat is left out on purpose: an approval that came after a client gave up must
 * be found again by the same client on a new connection.
 */
export type Caller = Readonly<{ principal: string; agentId: string | null; teamId: string | null; tenantId: string | null }>;

export function callerOf(who: Principal): Caller {
  const { agent, team, tenant, being } = who.bound;
  const bound = [team && `team=${team}`, agent && `agent=${agent}`, being && `being=${being}`].filter(Boolean).join(',');
  return {
    principal: `${who.kind}:${who.id}${bound === '' ? '' : `?${bound}`}`,
    agentId: agent ?? (who.kind === 'agent' ? who.id : null),
    teamId: team ?? null,
    tenantId: tenant ?? null,
  };
}

/** How a person or program that decides is written down. */
export function nameOf(who: Principal): string {
  const { agentId } = callerOf(who);
  return agentId === null ? `${who.kind}:${who.id}` : `agent:${agentId}`;
}
