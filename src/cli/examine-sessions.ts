import type { Config } from '../kernel/config.ts';
import { findHub, linkTo } from '../kernel/hub-link.ts';
import { toHubError } from '../kernel/errors.ts';
import { readSessionSettings } from '../features/sessions/settings.ts';
import { askingBy } from './hints.ts';
import type { Finding } from './finding.ts';

/** Whether sessions are read, and whether the clients still write what the readers know. Asked of the hub that runs, if one does. */
export async function examineSessions(config: Config): Promise<Finding[]> {
  try {
    const settings = readSessionSettings(config.sessions);
    if (!settings) return [{ check: 'sessions', state: 'ok', found: 'not read (holdfast setup --sessions)' }];
    const found = `read: ${settings.from.join(', ')}`;
    const running = await findHub(config, process.env);
    if (!running) return [{ check: 'sessions', state: 'ok', found }];
    const { clients } = await askingBy(linkTo(running).call)('GET /api/sessions/clients', {});
    const moved = clients.filter(({ format }) => format === 'moved');
    if (moved.length === 0) return [{ check: 'sessions', state: 'ok', found }];
    return moved.map(({ client, unknown }) => ({
      check: 'sessions',
      state: 'warn',
      found: `the format of ${client} moved: ${unknown} lines are kept as they are and not understood`,
      mend: 'Nothing is lost. Upgrade Holdfast: `holdfast upgrade`.',
    }));
  } catch (thrown) {
    const { message, hint } = toHubError(thrown);
    return [{ check: 'sessions', state: 'fail', found: message, mend: hint }];
  }
}
