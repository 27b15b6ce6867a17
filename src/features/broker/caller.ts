import type { Principal } from '../../kernel/principal.ts';
import type { Workplace } from '../projects/projects.ts';

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
  /** What its client calls itself; null where that was not said. */
  client: string | null;
  /** Where it works: the team of its project and the folder. */
  project: string | null;
  folder: string | null;
  holder: GrantHolder;
}>;

/**
 * Whom a grant may belong to beside principal and credential. A seat of this machine has no credential: its grants belong
 * to its client in its project, and what they say of files holds in the repository they were given for. Of a caller
 * with a credential that is all there is to compare (`ANY`).
 */
export type GrantHolder = Readonly<{ client: string; project: string; ground: string }>;

/** In place of a client, project or repository: every one. No client, project or path is written like that. */
export const ANY = '*';

const BY_CREDENTIAL: GrantHolder = { client: ANY, project: ANY, ground: ANY };

export const NOWHERE: Workplace = { folder: null, project: null, ground: '', isRepository: false };

/** A client that does not say what it is. */
const NAMELESS = 'agent';

function holderOf({ kind, client = NAMELESS }: Principal, place: Workplace): GrantHolder {
  if (kind !== 'local') return BY_CREDENTIAL;
  // A repository that is no project yet is still not every other one.
  const project = place.project ?? (place.isRepository ? place.ground : '');
  return { client, project, ground: place.ground };
}

/** Whose a request is and who may spend what was answered to it: no other client, and no other project. */
export function holderKey({ client, project }: GrantHolder): string {
  return client === ANY ? '' : JSON.stringify([client, project]);
}

export function toolCallerOf(who: Principal, place: Workplace = NOWHERE): ToolCaller {
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
    client: who.client ?? null,
    project: place.project,
    folder: place.folder,
    holder: holderOf(who, place),
  };
}

/** How a person or program that decides is written down. */
export function nameOf(who: Principal): string {
  const { agentId } = toolCallerOf(who);
  return agentId === null ? `${who.kind}:${who.id}` : `agent:${agentId}`;
}
