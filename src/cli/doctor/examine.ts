import type { Config } from '../../kernel/config.ts';
import { isPostgresUrl } from '../../kernel/site.ts';
import { isHubAlive, readAnnouncement, announcementPath, withdrawHub } from '../../kernel/discovery.ts';
import { toHubError } from '../../kernel/errors.ts';
import type { Surroundings } from '../../features/attach/files/client-files.ts';
import { examineHooks, examineService, examineSettings } from './clients.ts';
import { examineClients, examineLock, examinePostgres, examineSqlite } from './database.ts';
import { examineDisk, examineHome, examineNode, examinePort, examineSandbox } from './machine.ts';
import type { Finding } from './finding.ts';
import { findHub, linkTo } from '../../kernel/hub-link.ts';
import { readSessionSettings } from '../../features/sessions/settings.ts';
import { askingBy } from '../hints.ts';

/**
 * Looks, and changes nothing: no database is made, no migration runs. (SQLite may leave its empty -wal and
 * -shm beside a file.)
 */
export async function examine(config: Config, surroundings: Surroundings): Promise<Finding[]> {
  const around = { ...surroundings, home: config.home };
  const hub = await examineHub(config);
  const onPostgres = isPostgresUrl(config.database);
  return [
    examineNode(),
    examineHome(config),
    await guarded('database', () => (onPostgres ? examinePostgres(config) : examineSqlite(config))),
    hub.finding,
    await guarded(onPostgres ? 'clients' : 'lock', () =>
      onPostgres ? examineClients(config) : examineLock(config, hub.isAlive),
    ),
    await examinePort(config, hub.isAlive),
    await guarded('disk', () => examineDisk(config)),
    await guarded('sandbox', () => examineSandbox(config, around.env['PATH'] ?? '')),
    ...examineSettings(around),
    ...examineHooks(around),
    ...examineService(around),
    ...(await examineSessions(config)),
  ];
}

async function examineHub(config: Config): Promise<Readonly<{ isAlive: boolean; finding: Finding }>> {
  const path = announcementPath(config);
  const announced = readAnnouncement(path);
  if (!announced) return { isAlive: false, finding: { check: 'hub', state: 'ok', found: 'none is running' } };
  if (await isHubAlive(announced))
    return {
      isAlive: true,
      finding: { check: 'hub', state: 'ok', found: `process ${announced.pid} at ${announced.address}` },
    };
  const found = `process ${announced.pid} ended without saying so`;
  return {
    isAlive: false,
    finding: {
      check: 'hub',
      state: 'warn',
      found,
      mend: `Nothing to do: the next start clears it. Or remove ${path}.`,
      fix: { shown: `remove ${path}`, run: () => withdrawHub(path, announced) },
    },
  };
}

/** What a check throws is what it found. */
async function guarded(check: string, look: () => Promise<Finding>): Promise<Finding> {
  try {
    return await look();
  } catch (thrown) {
    const error = toHubError(thrown);
    return { check, state: 'fail', found: error.message, mend: error.hint };
  }
}

/** Whether sessions are read, and whether the clients still write what the readers know. Asked of the hub that runs, if one does. */
async function examineSessions(config: Config): Promise<Finding[]> {
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
