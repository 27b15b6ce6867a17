import { type Behind, routesOf } from '../../operation/faces.ts';
import { folderOf } from '../../kernel/git/place.ts';
import type { Acting } from '../../store/calls.ts';
import type { RoomDeclaration } from '../room.ts';
import { createByFolder } from './by-folder.ts';
import { createLocator } from './locate.ts';
import {
  type ByFolder,
  createProjects,
  type Elsewhere,
  type ProjectDesk,
  type Projects,
  type ProjectsService,
  type ProjectView,
} from './projects.ts';
import { gitFolderOf } from './rows.ts';
import { createWorkplaces } from './workplaces.ts';

export const projectsRoom: RoomDeclaration<object, ProjectsService> = {
  key: 'projects',
  needs: [],
  open({ db, log, acting, config }) {
    let elsewhere: Elsewhere = { teams: [], parts: [] };
    const projects = createProjects(() => elsewhere);
    const locator = createLocator({ db, projects, log });
    const workplaces = createWorkplaces({
      home: config.home,
      workspace: config.tools.workspace,
      find: (folder) => locator.find(folder),
    });
    const byFolder = createByFolder(acting, { projects, locator });
    return {
      service: {
        ...locator,
        workplaces,
        byFolder,
        async checkoutOf(teamId) {
          const common = await db.read((q) => gitFolderOf(q, teamId));
          return common === undefined ? undefined : folderOf(common);
        },
      },
      async routes(rooms) {
        elsewhere = {
          teams: rooms.flatMap(({ teams }) => teams ?? []),
          parts: rooms.flatMap(({ ofProject }) => ofProject ?? []),
        };
        const { projectOperations } = await import('./operations.ts');
        return routesOf(behindProjects(acting, projects, byFolder), projectOperations);
      },
      close: () => locator.close(),
    };
  },
};

export function behindProjects(
  acting: Acting,
  projects: Projects,
  service: ByFolder,
): Behind<ProjectView, ProjectDesk, ByFolder> {
  return { tag: 'projects', acting, look: projects.at, change: projects.in, service };
}
