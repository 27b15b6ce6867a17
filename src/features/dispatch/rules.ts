import { isPerson, type Principal } from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import { HubError } from '../../kernel/errors.ts';
import type { KnownScope } from '../access/access.ts';
import type { Run, RunStatus } from './run.ts';

/** The pure decisions of the room. */

export function isOver(state: RunStatus): boolean {
  return state !== 'pending' && state !== 'active';
}

type FinalState = Exclude<RunStatus, 'pending' | 'active'>;

/** What became of a process: its own word, and what the hub did to it. */
export type Ending = Readonly<{
  /** Somebody asked it to stop before it ended. */
  isCancelled: boolean;
  /** The hub that ran it stopped or was lost. */
  isLost: boolean;
  isDone: boolean;
}>;

/** A cancel wins over a late done; a hub that stops leaves nothing done that did not say so before. */
export function finalState({ isCancelled, isLost, isDone }: Ending): FinalState {
  if (isCancelled) return 'cancelled';
  if (isLost) return 'expired';
  return isDone ? 'done' : 'failed';
}

export function ownerOf({ kind, id, bound }: Principal): string {
  return `${kind}:${bound.agent ?? id}`;
}

/** A team's wall holds here, too. Without one, an agent sees the runs it started and itself. */
export function canSeeRun(who: Principal, run: Pick<Run, 'owner' | 'team' | 'agent'>): boolean {
  if (who.bound.team !== undefined) return run.team === who.bound.team;
  return isPerson(who) || run.owner === ownerOf(who) || run.agent === who.bound.agent;
}

/** Nothing about runs of others is told, not even that they are there. */
export function noSuchRun(id: string): HubError {
  return new HubError('not_found', `There is no run ${JSON.stringify(excerpt(id, 64))}.`, {
    hint: '`holdfast runs list` shows them; old ones are dropped after a while.',
  });
}

const MOST_U64 = 2n ** 64n - 1n;

/** As documented: an unsigned decimal of 64 bits, anything else counts as 0. */
export function readLastEventId(text: string | undefined): number {
  const trimmed = text?.trim() ?? '';
  return /^\d{1,20}$/.test(trimmed) && BigInt(trimmed) <= MOST_U64 ? Number(trimmed) : 0;
}

/** What a run's own token may do: everything an agent does, nothing that decides about agents. */
export const RUN_SCOPES = [
  'board:read',
  'board:write',
  'brain:read',
  'brain:write',
  'chat:read',
  'chat:write',
  'events:read',
  'hub:read',
  'memory:read',
  'memory:write',
  'peers:read',
  'peers:write',
  'runs:read',
  'runs:write',
  'tools:call',
  'tools:read',
] as const satisfies readonly KnownScope[];

/** Where a run works: its own checkout where it has one. */
export function folderOf({ worktree, cwd }: Pick<Run, 'worktree' | 'cwd'>): string {
  return worktree?.path ?? cwd;
}

/** Who a run is to the rest of the hub: the same as the token it carries. */
export function principalOf({ agent, team, tokenId }: Pick<Run, 'agent' | 'team' | 'tokenId'>): Principal {
  return {
    kind: 'agent',
    id: agent,
    ...(tokenId !== null && { credential: tokenId }),
    scopes: new Set<string>(RUN_SCOPES),
    seat: '',
    bound: { agent, ...(team !== null && { team }) },
  };
}

export function refuseDeep(hops: number, most: number): void {
  if (hops <= most) return;
  throw new HubError('limited', `Runs may start runs at most ${most} deep.`, {
    limit: most,
    retryable: false,
    hint: 'Do it yourself, or put it on the board; dispatch.hops in config.yaml sets the limit.',
  });
}

export function outlived(id: string): HubError {
  return new HubError(
    'limited',
    `The request that run ${id.slice(-8)} serves is too old to start anything.`,
    {
      retryable: false,
      hint: 'Ask again: a request and all that comes of it live for a day.',
    },
  );
}

export function unverified(id: string): HubError {
  return new HubError(
    'forbidden',
    `The request that run ${id.slice(-8)} serves is not what a hub here signed.`,
    {
      hint: 'Somebody has changed it in the database. Cancel the run.',
    },
  );
}

const REFUSED_OPTIONS = ['extra_args', 'unattended', 'sandbox', 'unsafe_yes', 'mode'] as const;

/** A caller never chooses the flags of a program, nor how much it may do unasked. */
export function refuseOptions(opts: Readonly<Record<string, unknown>>): void {
  const found = REFUSED_OPTIONS.find((name) => opts[name] !== undefined && opts[name] !== false);
  // These are kept as they are and handed to the agent: a mask in them would name something else.
  const secret = ['model', 'session_id'].find((name) => {
    const value = opts[name];
    return typeof value === 'string' && redact(value) !== value;
  });
  if (secret !== undefined)
    throw new HubError('invalid', `opts.${secret} must not hold a secret.`, { option: secret });
  if (found === undefined) return;
  throw new HubError('forbidden', `opts.${found} cannot be chosen by a caller.`, {
    option: found,
    hint: 'The operator sets modes and arguments under agents: in config.yaml.',
  });
}
