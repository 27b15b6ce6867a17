import type { ScopeTags, Sight } from '../../recall/recall.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { isOnlyRedacted, redact } from '../../kernel/redact.ts';

/** Pure decisions of the memory room: who sees what, where a save is filed, what may be stored at all. */
export const SPACE = 'memory';

export type ScopeArgs = Readonly<{ scopeTeamId?: string | undefined; scopeAgentId?: string | undefined }>;

/** Only records that are put back name a tenant: tools and routes take none. */
export type FilingArgs = ScopeArgs & Readonly<{ tenantId?: string | undefined }>;

export function isBound({ bound }: Principal): boolean {
  return bound.team !== undefined || bound.agent !== undefined || bound.tenant !== undefined;
}

/** A bound caller sees its team, its agent and what is global, whatever it asks for. Unbound, an absent tag is no filter and '' is "global only". */
export function sightOf(who: Principal, args: ScopeArgs): Sight {
  if (isBound(who)) {
    return {
      space: SPACE,
      tenant: who.bound.tenant ?? '',
      team: who.bound.team ?? '',
      agent: who.bound.agent ?? '',
    };
  }
  return {
    space: SPACE,
    tenant: undefined,
    team: args.scopeTeamId ?? who.default?.team,
    agent: args.scopeAgentId,
  };
}

/** Everything that a caller could ask for. */
export function fullSightOf(who: Principal): Sight {
  return isBound(who)
    ? sightOf(who, {})
    : { space: SPACE, tenant: undefined, team: undefined, agent: undefined };
}

/**
 * What an asker saw, for those who profit by what was learnt from its question: they see as much. As their saves are,
 * the questions of agents bound to one team are the team's.
 */
export function askerOf(who: Principal, args: ScopeArgs): Omit<Sight, 'space'> {
  const { tenant, team, agent } = sightOf(who, args);
  return { tenant, team, agent: who.bound.team === undefined ? agent : '' };
}

/** A bound save is the team's, never one agent's: whoever works there next must find it. */
export function filingOf(who: Principal, args: FilingArgs): ScopeTags {
  if (isBound(who))
    return { space: SPACE, tenant: who.bound.tenant ?? '', team: who.bound.team ?? '', agent: '' };
  const {
    scopeTeamId: team = who.default?.team ?? '',
    scopeAgentId: agent = '',
    tenantId: tenant = '',
  } = args;
  for (const [name, id] of Object.entries({ scopeTeamId: team, scopeAgentId: agent, tenantId: tenant }))
    if (redact(id) !== id)
      throw new HubError('invalid', `${name} looks like a secret, and would be stored.`, {
        hint: 'Name the team or agent.',
      });
  return { space: SPACE, tenant, team, agent };
}

/**
 * Seeing is inclusive, changing is not: a bound caller may change what its own team or agent has, not what is everybody's.
 * To whom only a tenant is bound, what is everybody's there is its own.
 */
export function mayChange(who: Principal, tags: Omit<ScopeTags, 'space'>): boolean {
  if (!isBound(who)) return true;
  const isOwnTenant =
    who.bound.tenant !== undefined && who.bound.team === undefined && who.bound.tenant === tags.tenant;
  const isOwnTeam = who.bound.team !== undefined && tags.team === who.bound.team;
  const isOwnAgent = tags.team === '' && who.bound.agent !== undefined && tags.agent === who.bound.agent;
  return isOwnTeam || isOwnAgent || (isOwnTenant && tags.team === '' && tags.agent === '');
}

/** Facts saved without a session still came from somebody: the caller stands in for the connection. */
export function savedFrom(who: Principal): string {
  return who.seat === '' ? JSON.stringify([who.kind, who.id, who.bound]) : who.seat;
}

/** A caller's clock may be ahead of the database's. */
const SKEW_MS = 60_000;

/** Since when a fact holds: a moment that is only just to come is now. */
export function holdsSince(validFrom: number | undefined, now: number): number {
  if (validFrom === undefined) return now;
  return validFrom > now && validFrom <= now + SKEW_MS ? now : validFrom;
}

export type FactText = Readonly<{ title: string; content: string; tags: readonly string[] }>;

/** Scrubs every string that will be stored, and declines what was nothing but secrets. */
export function scrubFact(text: FactText): FactText {
  const content = scrubContent(text.content);
  const tags = [...new Set(text.tags.map(redact))];
  return { title: redact(text.title), content, tags };
}

export function scrubContent(content: string): string {
  const scrubbed = redact(content);
  if (isOnlyRedacted(scrubbed)) {
    throw new HubError('invalid', 'nothing to save: content was entirely redacted secrets', {
      hint: 'Save what should be remembered without the secret itself, for example where it is kept.',
    });
  }
  return scrubbed;
}
