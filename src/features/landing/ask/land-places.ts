// Which repository, project and target a call means.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { folderOf, gitPlaceOf } from '../../../kernel/git/place.ts';
import { type Principal, requirePerson, systemPrincipal } from '../../../kernel/principal.ts';
import type { ProjectsService } from '../../projects/projects.ts';
import { DEFINITION_FILE } from '../checks/definition.ts';
import { findTarget } from '../checks/definition-at.ts';

export type LandPlaces = ReturnType<typeof createLandPlaces>;

export function createLandPlaces(projects: ProjectsService) {
  /** The repository that a call means: the folder it names or works in, when that is of this project; else one that is known. */
  async function repositoryOf(
    who: Principal,
    project: string | null,
    folder: string | undefined,
  ): Promise<string> {
    const here = folder ?? (await projects.workplaces.folderOf(who).catch(() => null)) ?? undefined;
    if (folder !== undefined) requirePerson(who, 'Naming a folder');
    const place = here === undefined ? undefined : await gitPlaceOf(here);
    if (place && (project === null || (await projects.find(here!))?.teamId === project))
      return folderOf(place.common);
    const { projects: known } = await projects.byFolder.list(systemPrincipal, undefined);
    for (const { kind, value } of known.find(({ teamId }) => teamId === project)?.keys ?? [])
      if (kind === 'git' && existsSync(join(value, 'HEAD'))) return folderOf(value);
    throw new HubError('not_found', 'No repository of this project is known on this machine.', {
      project,
      hint: 'Ask from inside of a checkout of it.',
    });
  }

  async function projectAt(repository: string): Promise<string> {
    const project = await projects.find(repository);
    if (project) return project.teamId;
    throw new HubError('not_found', `${repository} is no project that this hub knows.`, {
      hint: 'Create a task from inside of it first.',
    });
  }

  return { repositoryOf, projectAt };
}

export async function targetOf(repository: string) {
  const found = await findTarget(repository);
  if (found) return found;
  throw new HubError('invalid', `No target of ${repository} has ${DEFINITION_FILE}.`, {
    hint: 'Commit one on the branch that things land on; docs/guides/landing.md shows it.',
  });
}
