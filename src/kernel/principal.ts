import { HubError } from './errors.ts';

/** Who is calling. Made by a host or by `access` from a credential, never from tool arguments. */
export type Principal = Readonly<{
  kind: 'operator' | 'agent' | 'being' | 'local' | 'system';
  id: string;
  scopes: ReadonlySet<string>;
  /** The connection or session the call came through; '' when there is none (a stateless request). */
  seat: string;
  bound: Binding;
  /** The view its credential lets it look through, whatever its URL says. */
  profile?: string;
  /** How it is shown where nothing binds it: the name its connection was given. */
  name?: string;
  /** What its client calls itself, as a short word (`kernel/client-name.ts`). */
  client?: string;
  /**
   * The folder its process works in: announced on the hub's own socket, or known because the hub runs it. No argument,
   * URL or token ever sets it. Empty: it had one that is gone.
   */
  folder?: string;
  /** Its program runs on this machine, as the user who runs the hub, whatever credential it showed. */
  isHere?: true;
  /** What the project it works in is called. */
  project?: string;
  /** Which of its owner's credentials it showed; the hub token, which is everybody's, is none. */
  credential?: string;
  /** Until when that holds, and the signal that it does no more: what is under way under it ends. */
  holds?: Readonly<{ until?: number; ended?: AbortSignal }>;
  /** Where the user who makes the call finds the hub token, as a hint says it; nobody else is told. */
  tokenAt?: string;
  /** What a caller that names nothing is taken for, where its endpoint allows that: its project and its given name. */
  default?: Readonly<{ team?: string; agent?: string }>;
}>;

/** How a URL says `default.team`, on every path: it tells of the caller, not of what is asked. */
export const DEFAULT_TEAM_PARAM = 'defaultTeamId';

/** What the attach URL or the token fixed for this caller. An argument never overrides it. */
export type Binding = Readonly<{
  team?: string;
  agent?: string;
  tenant?: string;
  room?: string;
  being?: string;
}>;

/** Who a change is attributed to. `asserted`: named by an argument only, not proven by a credential. */
export type Actor = Readonly<{ id: string; asserted: boolean }>;

/** What `*` of a token does not contain: it has to be named. A person, and whoever sits at the machine, has them. */
const APART: ReadonlySet<string> = new Set(['sessions:read', 'sessions:write', 'runs:work']);
const EVERYTHING: ReadonlySet<string> = new Set(['*', ...APART]);

export const systemActor: Actor = { id: 'system', asserted: false };

export const systemPrincipal: Principal = {
  kind: 'system',
  id: 'system',
  scopes: EVERYTHING,
  seat: 'system',
  bound: {},
};

/** Whoever holds the hub token: the person who runs the hub. */
export const operatorPrincipal: Principal = {
  kind: 'operator',
  id: 'operator',
  scopes: EVERYTHING,
  seat: '',
  bound: {},
};

/** Loopback or same-user socket without a credential: trusted with everything, known only by its seat. */
export function localPrincipal(seat: string, bound: Binding = {}): Principal {
  return { kind: 'local', id: 'local', scopes: EVERYTHING, seat, bound };
}

export function hasScope(who: Principal, scope: string): boolean {
  return who.scopes.has(scope) || (who.scopes.has('*') && !APART.has(scope));
}

/** A machine that takes runs, by a token that is for nothing else: nobody works there under its name. */
export function isRunner({ scopes }: Pick<Principal, 'scopes'>): boolean {
  return scopes.size === 1 && scopes.has('runs:work');
}

/** The team a caller is of: its credential's, else, for who sits at this machine, the project it works in; '' for none. */
export function homeTeam({ kind, bound, default: taken }: Principal): string {
  return bound.team ?? (kind === 'agent' ? undefined : taken?.team) ?? '';
}

/** A credential's team is a wall: whoever it binds sees what is of that team, and for it nothing else exists. */
export function seesTeam({ bound }: Pick<Principal, 'bound'>, team: string | null | undefined): boolean {
  return bound.team === undefined || bound.team === team;
}

/** Whoever runs the hub or sits at its machine, and the hub itself: never a connection that belongs to an agent. */
export function isPerson(who: Principal): boolean {
  return who.bound.agent === undefined && (who.kind === 'local' || isOperator(who));
}

/** Who showed the hub token or signed in with it, and the hub itself: loopback does not tell a person from an agent. */
export function isOperator({ kind }: Principal): boolean {
  return kind === 'operator' || kind === 'system';
}

/** The one credential that does everywhere but in a Being's own place, and where it lies. */
export function hubTokenHint({ tokenAt }: Pick<Principal, 'tokenAt'>, begin = 'Send'): string {
  const which = tokenAt ?? 'the hub token, which its operator has';
  return `${begin} \`Authorization: Bearer <token>\` with ${which}.`;
}

/** Never for an agent. */
export function requirePerson(who: Principal, what: string, hint?: string): void {
  if (isPerson(who)) return;
  throw new HubError('forbidden', `${what} is for the owner of the hub alone.`, {
    ...(hint !== undefined && { hint }),
  });
}

/** An agent may not, and a caller without a credential has to show one, or do what is said `instead`. */
export function requireOperator(who: Principal, what: string, instead?: string): void {
  if (isOperator(who)) return;
  const hint = hubTokenHint(who, instead === undefined ? 'Send' : `${instead}, or send`);
  if (who.kind === 'local') throw new HubError('unauthorized', `${what} needs the hub token.`, { hint });
  throw new HubError('forbidden', `${what} is for the operator of the hub alone.`);
}
