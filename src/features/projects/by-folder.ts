import { HubError } from '../../kernel/errors.ts';
import { type Principal, requirePerson } from '../../kernel/principal.ts';
import { type Acting, byRoute } from '../../store/acting.ts';
import type { KeyedProject, Project } from './project.ts';
import type { Locator, Projects } from './projects.ts';

/**
 * What may be asked by a folder of this machine. The hub itself reads that folder, and before it asks the database, so
 * these open transactions of their own; and only its owner may name one.
 */
export interface ByFolder {
  /** All that the caller sees, or the one that a folder belongs to, if it is known. */
  list(who: Principal, folder: string | undefined): Promise<KeyedProject[]>;
  resolve(who: Principal, asked: Asked): Promise<Project | null>;
}

type Asked = Readonly<{
  folder?: string | undefined;
  teamId?: string | undefined;
  new?: boolean | undefined;
}>;

export type ProjectParts = Readonly<{ projects: Projects; locator: Locator }>;

export function createByFolder(acting: Acting, { projects, locator }: ProjectParts): ByFolder {
  return {
    async list(who, folder) {
      if (folder === undefined)
        return acting.look(byRoute(who, 'list_projects'), (q, caller) => projects.at(q, caller).list());
      requireOwner(who);
      const found = await locator.find(folder);
      return found ? [found] : [];
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
  };
}

function requireOwner(who: Principal): void {
  requirePerson(who, 'Naming folders of this machine', 'Say which team you mean with teamId.');
}
