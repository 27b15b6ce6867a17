import type { RoomDeclaration } from '../room.ts';
import { createLocator } from './locate.ts';
import { createProjects, type Locator } from './projects.ts';

export const projectsRoom: RoomDeclaration<object, Locator> = {
  key: 'projects',
  needs: [],
  open({ db, log, acting }) {
    const projects = createProjects();
    const locator = createLocator({ db, projects, log });
    return {
      service: locator,
      routes: async () => (await import('./routes.ts')).projectRoutes(acting, { projects, locator }),
      close: () => locator.close(),
    };
  },
};
