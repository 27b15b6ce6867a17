import type { Log } from '../../kernel/log.ts';
import type { FindDefaults } from '../../mcp/hosts/whereabouts.ts';
import type { Locator } from './locate.ts';

/** The project is a default and no wall, so failing to find it is worth a warning and stops nobody. */
export function createFindDefaults(locator: Locator, log: Log): FindDefaults {
  return async ({ cwd, team }) => {
    if (team !== undefined) return { team };
    if (cwd === '') return {};
    try {
      const project = await locator.locate(cwd);
      return project ? { team: project.teamId } : {};
    } catch (error) {
      log.warn('the project of a working folder was not found', { folder: cwd, error });
      return {};
    }
  };
}
