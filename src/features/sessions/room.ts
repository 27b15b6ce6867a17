import { pause } from '../../kernel/clock.ts';
import { behindService, routesOf, toolsOf } from '../../operation/faces.ts';
import type { Running } from '../../store/consumers.ts';
import type { Log } from '../../kernel/log.ts';
import type { Dispatch } from '../dispatch/dispatch.ts';
import type { Memory } from '../memory/memory.ts';
import type { ProjectsService } from '../projects/projects.ts';
import type { RoomDeclaration } from '../room.ts';
import { sessionBrief } from './brief.ts';
import { slowPace } from './follow/budget.ts';
import { proposalOperations } from './lessons/operations.ts';
import { createProposals, type Proposals } from './lessons/proposals.ts';
import { createWording } from './lessons/model-words.ts';
import { sessionOperations } from './operations.ts';
import { ownerHere } from './owner.ts';
import { createSessions, type ClientSessions } from './sessions.ts';
import { usageSince } from './rows/usage.ts';
import { isSessionClient, readSessionSettings, type SessionClient } from './settings.ts';

const HOUR = 3_600_000;
/** Whose account a client uses, as dispatch calls it. */
const FAMILIES: Readonly<Record<SessionClient, string>> = {
  'claude-code': 'claude',
  codex: 'codex',
  gemini: 'gemini',
  opencode: 'opencode',
};

type Needs = Readonly<{ projects: ProjectsService; dispatch: Dispatch; memory: Memory }>;

export const sessionsRoom: RoomDeclaration<Needs, ClientSessions> = {
  key: 'sessions',
  needs: ['projects', 'dispatch', 'memory'],
  open({ db, config, log, acting }, { projects, dispatch, memory }) {
    const settings = readSessionSettings(config.sessions);
    const sessions = createSessions({ db, projects, settings, env: process.env, log, runs: dispatch });
    if (settings)
      dispatch.budget.countSessions(async (q, since) =>
        (await usageSince(q, ownerHere(), since)).flatMap(({ client, ...use }) =>
          isSessionClient(client) ? [{ ...use, family: FAMILIES[client] }] : [],
        ),
      );
    const behind = behindService('sessions', acting, sessions);
    const word = createWording(process.env);
    const proposals = createProposals({ db, own: ownerHere(), sessions, memory, word, log });
    return {
      service: sessions,
      ...(settings && { brief: sessionBrief(sessions) }),
      // Nobody is offered what nobody said yes to.
      hubTools: async () => (settings ? toolsOf(behind, sessionOperations) : []),
      routes: async () => [
        ...routesOf(behind, sessionOperations),
        ...routesOf(behindService('memory', acting, proposals), proposalOperations),
      ],
      start: () => (settings ? [startFollowing({ sessions, proposals, log })] : []),
      ...(settings && { chores: [{ name: 'sessions-tidy', everyMs: HOUR, run: () => sessions.tidy() }] }),
    };
  },
};

const SCAN_MS = 200;
const FIRST_MS = 3_000;
const AGAIN_MS = 5_000;

type Followed = Readonly<{ sessions: ClientSessions; proposals: Proposals; log: Log }>;

function startFollowing({ sessions, proposals, log }: Followed): Running {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pace = slowPace(signal);
  async function loop(): Promise<void> {
    await pause(FIRST_MS, signal);
    while (!signal.aborted) {
      try {
        await sessions.follow(pace);
        await proposals.scan(SCAN_MS);
      } catch (error) {
        if (!signal.aborted) log.warn('sessions were not read and will be looked at again', { error });
      }
      await pace.rest(signal);
      await pause(AGAIN_MS, signal);
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
