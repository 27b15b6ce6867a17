import type { Principal } from '../../kernel/principal.ts';

/**
 * Who a call is charged to. The seat is left out on purpose: an approval that came after a client gave up
 * must be found again by the same client on a new connection.
 */
export type ToolCaller = Readonly<{
  principal: string;
  /** Whom its credential or binding names: what rules and block lists go by. */
  agentId: string | null;
  /** What people are shown: that, else the name its connection was given. */
  name: string | null;
  teamId: string | null;
  /** The team whose room hears of its calls: that, else the project it works in. A place to tell, never a right. */
  toldIn: string | null;
  tenantId: string | null;
  /** '' without one. A grant belongs to the credential it was given under. */
  credential: string;
}>;

export function callerOf(who: Principal): ToolCaller {
  const { agent, team, tenant, being } = who.bound;
  const bound = [team && `team=${team}`, agent && `agent=${agent}`, being && `being=${being}`]
    .filter(Boolean)
    .join(',');
  const agentId = agent ?? (who.kind === 'agent' ? who.id : null);
  return {
    principal: `${who.kind}:${who.id}${bound === '' ? '' : `?${bound}`}`,
    agentId,
    name: agentId ?? who.name ?? null,
    teamId: team ?? null,
    toldIn: team ?? who.default?.team ?? null,
    tenantId: tenant ?? null,
    credential: who.credential ?? '',
  };
}

/** How a person or program that decides is written down. */
export function nameOf(who: Principal): string {
  const { agentId } = callerOf(who);
  return agentId === null ? `${who.kind}:${who.id}` : `agent:${agentId}`;
}
