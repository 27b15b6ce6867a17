import { HubError } from '../../kernel/errors.ts';
import { DEFAULT_TEAM_PARAM, type Principal } from '../../kernel/principal.ts';
import { isName, NAME_RULE } from '../../kernel/words.ts';

type Authenticate<P> = (presented: P) => Promise<Principal>;

/** A default opens nothing, so everybody may give one. */
export function withUrlDefault<P extends Readonly<{ url: string }>>(
  authenticate: Authenticate<P>,
): Authenticate<P> {
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
