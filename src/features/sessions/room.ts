import { pause } from '../../kernel/clock.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Running } from '../../store/consumers.ts';
import type { Log } from '../../kernel/log.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { RoomDeclaration } from '../room.ts';
import type { HubRun } from './follow/runs.ts';
import { sessionOperations } from './operations.ts';
import { createSessions, type ClientSessions } from './sessions.ts';
import { readSessionSettings } from './settings.ts';

const HOUR = 3_600_000;

type Needs = Readonly<{ projects: ProjectsService; dispatch: Dispatch }>;

export const sessionsRoom: RoomDeclaration<Needs, ClientSessions> = {
  key: 'sessions',
  needs: ['projects', 'dispatch'],
  open({ db, config, log, acting }, { projects, dispatch }) {
    const settings = readSessionSettings(config.sessions);
    let hub: string | undefined;
    // At a database of its own all runs are this hub's; at a shared one those that it ran itself.
    const isOwn = (run: HubRun): boolean => !db.dialect.isShared || run.hub === hub;
    const runs = { dispatch, isOwn };
    const sessions = createSessions({ db, projects, settings, env: process.env, log, runs });
    const behind = behindService('sessions', acting, sessions);
    return {
      service: sessions,
      // Nobody is offered what nobody said yes to.
      hubTools: settings ? toolsOf(behind, sessionOperations) : [],
      routes: async () => routesOf(behind, sessionOperations),
      start(id) {
        hub = id;
        return settings ? [startFollowing(sessions, log)] : [];
      },
      ...(settings && { chores: [{ name: 'sessions-tidy', everyMs: HOUR, run: () => sessions.tidy() }] }),
    };
  },
};

const FIRST_MS = 3_000;
const AGAIN_MS = 5_000;
/** A tenth of a core: nine times as long a rest as the work before it took. */
const REST = 9;

function startFollowing(sessions: ClientSessions, log: Log): Running {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pace = {
    bytes: 128 * 1024,
    rows: 100,
    rest: (busyMs: number, ended: AbortSignal | undefined) => pause(Math.min(60_000, busyMs * REST), ended),
    signal,
  };
  async function loop(): Promise<void> {
    await pause(FIRST_MS, signal);
    while (!signal.aborted) {
      const begun = process.cpuUsage().user;
      try {
        await sessions.follow(pace);
      } catch (error) {
        if (!signal.aborted) log.warn('sessions were not read and will be looked at again', { error });
      }
      // Looking for files costs as well.
      const busyMs = Math.max(0, process.cpuUsage().user - begun) / 1_000;
      await pause(Math.min(10 * 60_000, AGAIN_MS + busyMs * REST), signal);
    }
  }
  const finished = loop();
  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}
