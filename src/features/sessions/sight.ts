// Who may see which sessions. All of them are the person's own; an agent sees those of the repository it works in.
import { HubError } from '../../kernel/errors.ts';
import { isOperator, isPerson, type Principal } from '../../kernel/principal.ts';
import type { Workplaces } from '../projects/projects.ts';
import type { Locate } from './follow/whereabouts.ts';
import type { SessionSight } from './rows/sessions.ts';

export type Seeing = Readonly<{ who: Principal; via: 'tool' | 'route' }>;
export type AskedPlace = Readonly<{ project?: string | undefined; folder?: string | undefined }>;

export type SightParts = Readonly<{ workplaces: Workplaces; locate: Pick<Locate, 'of'> }>;

/** The whole decision; what it answers is part of every statement. */
export async function sightOf(
  { who, via }: Seeing,
  asked: AskedPlace,
  { workplaces, locate }: SightParts,
): Promise<SessionSight> {
  if (via === 'route' && isPerson(who)) {
    if (asked.project !== undefined) return { project: asked.project };
    return asked.folder === undefined ? {} : ofPlace(await locate.of(asked.folder));
  }
  const own = await ownPlace(who, workplaces);
  if (asked.project === undefined || asked.project === own.project) {
    if (own.ground !== undefined || own.project !== undefined)
      return asked.project === undefined ? own : { project: asked.project };
    throw nowhere();
  }
  if (
    isOperator(who) ||
    (who.kind === 'agent' && who.bound.team === undefined && who.credential !== undefined)
  )
    return { project: asked.project };
  throw new HubError(
    'forbidden',
    `Sessions of ${asked.project} are not of the repository this connection works in.`,
    {
      hint: 'Leave project out to look through your own.',
    },
  );
}

/** Proven by the socket, by the run or by the credential; a default that a URL names opens nothing. */
async function ownPlace(who: Principal, workplaces: Workplaces): Promise<SessionSight> {
  const { ground, project, isRepository } = await workplaces.of(who);
  if (who.bound.team !== undefined && who.kind === 'agent') return { project: who.bound.team };
  return { ground: isRepository ? ground : undefined, project: project ?? undefined };
}

function ofPlace(where: Readonly<{ ground: string; project: string | null }> | undefined): SessionSight {
  if (where === undefined || where.ground === '') return { ground: '\0' };
  return { ground: where.ground, project: where.project ?? undefined };
}

function nowhere(): HubError {
  return new HubError(
    'forbidden',
    'This connection works in no repository, so there are no sessions of its own.',
    {
      hint: 'Start the client in a repository, or ask the person: `holdfast sessions search --all`.',
    },
  );
}
