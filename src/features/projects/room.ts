import type { RoomDeclaration } from '../room.ts';
import { createLocator } from './locate.ts';
import { createProjects, type ProjectsService } from './projects.ts';
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
      routes: async () => (await import('./routes.ts')).projectRoutes(acting, { projects, locator }),
      close: () => locator.close(),
    };
  },
};
