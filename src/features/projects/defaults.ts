import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { DEFAULT_TEAM_PARAM, type Principal } from '../../kernel/principal.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';
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

type Authenticate<P> = (presented: P) => Promise<Principal>;

/** A default opens nothing, so everybody may give one. */
export function withUrlDefault<P extends Readonly<{ url: string }>>(authenticate: Authenticate<P>): Authenticate<P> {
  return async (presented) => {
    const who = await authenticate(presented);
    const at = presented.url.indexOf('?');
    if (at < 0 || !presented.url.includes(DEFAULT_TEAM_PARAM, at)) return who;
    const team = new URLSearchParams(presented.url.slice(at + 1)).get(DEFAULT_TEAM_PARAM);
    if (team === null) return who;
    if (!isName(team)) throw new HubError('invalid', `${DEFAULT_TEAM_PARAM} ${NAME_RULE}`);
    return { ...who, default: { ...who.default, team } };
  };
}
