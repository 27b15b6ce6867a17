import { HubError } from '../../kernel/errors.ts';
import { type Principal, requirePerson } from '../../kernel/principal.ts';
import { type Acting, byRoute } from '../../store/calls.ts';
import { createFileFinder } from './files.ts';
import type { ByFolder, Locator, Projects } from './projects.ts';

type ProjectParts = Readonly<{ projects: Projects; locator: Locator }>;

export function createByFolder(acting: Acting, { projects, locator }: ProjectParts): ByFolder {
  const finder = createFileFinder();

  return {
    async list(who, folder) {
      if (folder === undefined)
        return acting.look(byRoute(who, 'list_projects'), async (q, caller) => ({
          projects: await projects.at(q, caller).list(),
        }));
      requireOwner(who);
      const found = await locator.find(folder);
      if (found) return { projects: [found] };
      const next = await locator.foresee(folder);
      return { projects: [], ...(next !== undefined && { next }) };
    },

    async resolve(who, { folder, teamId, new: isNew = false }) {
      if ((folder === undefined) === (teamId === undefined))
        throw new HubError('invalid', 'Name either a folder or a teamId.');
      requireOwner(who);
      if (folder !== undefined) return (await locator.locate(folder)) ?? null;
      const { project } = await acting.change(byRoute(who, 'resolve_project'), (tx, caller) =>
        projects.in(tx, caller).name({ teamId: teamId!, isNew }),
      );
      return project;
    },

    async files(who, asked) {
      requirePerson(who, 'Looking for files of this machine');
      const known = await acting.look(byRoute(who, 'find_files'), (q, caller) =>
        projects.at(q, caller).list(),
      );
      return finder.find(known, asked);
    },
  };
}

function requireOwner(who: Principal): void {
  requirePerson(who, 'Naming folders of this machine', 'Say which team you mean with teamId.');
}
