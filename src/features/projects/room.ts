import { type Behind, routesOf } from '../../operation/faces.ts';
import type { Acting } from '../../store/acting.ts';
import type { RoomDeclaration } from '../room.ts';
import { type ByFolder, createByFolder, type ProjectParts } from './by-folder.ts';
import { createLocator } from './locate.ts';
import { createProjects, type ProjectDesk, type ProjectsService, type ProjectView } from './projects.ts';
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
    return {
      service: { ...locator, workplaces },
      routes: async () =>
        routesOf(
          behindProjects(acting, { projects, locator }),
          (await import('./operations.ts')).projectOperations,
        ),
      close: () => locator.close(),
    };
  },
};

export function behindProjects(
  acting: Acting,
  parts: ProjectParts,
): Behind<ProjectView, ProjectDesk, ByFolder> {
  const { projects } = parts;
  return {
    tag: 'projects',
    acting,
    look: projects.at,
    change: projects.in,
    service: createByFolder(acting, parts),
  };
}
