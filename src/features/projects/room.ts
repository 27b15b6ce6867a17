import { type Behind, routesOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/acting.ts';
import type { RoomDeclaration } from '../room.ts';
import { createByFolder } from './by-folder.ts';
import { createLocator } from './locate.ts';
import {
  type ByFolder,
  createProjects,
  type ProjectDesk,
  type Projects,
  type ProjectsService,
  type ProjectView,
} from './projects.ts';
import { createWorkplaces } from './workplaces.ts';

export const projectsRoom: RoomDeclaration<object, ProjectsService> = {
  key: 'projects',
  needs: [],
  open({ db, log, acting, config }) {
    const projects = createProjects();
    const locator = createLocator({ db, projects, log });
    const workplaces = createWorkplaces({
      home: config.home,
      workspace: config.tools.workspace,
      find: (folder) => locator.find(folder),
    });
    const byFolder = createByFolder(acting, { projects, locator });
    return {
      service: { ...locator, workplaces, byFolder },
      routes: async () =>
        routesOf(
          behindProjects(acting, projects, byFolder),
          (await import('./operations.ts')).projectOperations,
        ),
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
