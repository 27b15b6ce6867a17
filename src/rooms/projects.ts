import { createLocator, type Locator } from '../features/projects/locate.ts';
import { createProjects } from '../features/projects/projects.ts';
import type { Ground, Room } from './room.ts';

export function openProjects({ db, log }: Ground): Room & Readonly<{ locator: Locator }> {
  const projects = createProjects();
  const locator = createLocator({ db, projects, log });
  return {
    locator,
    routes: async () => (await import('../features/projects/routes.ts')).projectRoutes(db, { projects, locator }),
    close: () => locator.close(),
  };
}
