// What people and holders do with landings that were asked for: look, approve, withdraw, pause, wait.
import { HubError } from '../../../kernel/errors.ts';
import { isPerson, requireOperator, requirePerson, seesTeam } from '../../../kernel/principal.ts';
import type { Acting, Call, Caller } from '../../../store/calls.ts';
import type { Database, Query } from '../../../store/database.ts';
import type { Board } from '../../board/board.ts';
import { LAND_SUBJECT, type LandingView } from '../landing-shapes.ts';
import { present } from '../present.ts';
import {
  allQueues,
  changeLanding,
  changeQueues,
  landingById,
  lockQueue,
  newestLandings,
  type Queue,
  queueAt,
  type StoredLanding,
} from '../rows.ts';
import { requireHolder } from './holder.ts';
import { isEnded } from '../rules.ts';
import { wake } from './wake.ts';

type DeskParts = Readonly<{ db: Database; acting: Acting; board: Board }>;

export function createDesk({ db, acting, board }: DeskParts) {
  async function requireLanding(
    q: Query,
    caller: Caller,
    id: string,
  ): Promise<Readonly<{ landing: StoredLanding; queue: Queue }>> {
    const landing = await landingById(q, id);
    const queue = landing && (await queueAt(q, landing.queue));
    if (landing && queue && seesTeam(caller.who, queue.project)) return { landing, queue };
    throw new HubError('not_found', `not found: landing ${id}`, { hint: '`holdfast land list` shows them.' });
  }

  return {
    list: (
      call: Call,
      { project, isOpen }: Readonly<{ project?: string | undefined; isOpen: boolean }>,
    ): Promise<LandingView[]> =>
      acting.look(call, async (q, { who }) => {
        const team = who.bound.team ?? project;
        const found = await newestLandings(q);
        const known = new Map((await allQueues(q)).map((queue) => [queue.key, queue]));
        return found
          .filter(({ state }) => !isOpen || !isEnded(state))
          .map((landing) => present(landing, known.get(landing.queue)!))
          .filter((landing) => team === undefined || landing.project === team);
      }),

    get: (call: Call, id: string): Promise<LandingView> =>
      acting.look(call, async (q, caller) => {
        const { landing, queue } = await requireLanding(q, caller, id);
        return present(landing, queue);
      }),

    approve: (call: Call, id: string): Promise<LandingView> =>
      acting.change(call, async (tx, caller) => {
        requireOperator(caller.who, 'Letting something land', 'Use `holdfast land approve`');
        const { landing, queue } = await requireLanding(tx, caller, id);
        if (landing.state !== 'waiting_person')
          throw new HubError('conflict', `${id} waits for nobody: it is ${landing.state}.`, {
            state: landing.state,
          });
        const change = { state: 'queued', approvedBy: 'operator', why: null } as const;
        await changeLanding(tx, landing, change);
        const now = { ...landing, ...change };
        wake(tx, now, queue);
        return present(now, queue);
      }),

    withdraw: (call: Call, id: string): Promise<LandingView> =>
      acting.change(call, async (tx, caller) => {
        const { landing: seen } = await requireLanding(tx, caller, id);
        const queue = (await lockQueue(tx, seen.queue))!;
        const landing = (await landingById(tx, id))!;
        const isIntended = queue.intent?.landings.some((each) => each.id === id) ?? false;
        if (isEnded(landing.state) || isIntended)
          throw new HubError('conflict', `${id} is ${isIntended ? 'landing now' : landing.state}.`, {
            state: landing.state,
          });
        if (!isPerson(caller.who)) {
          const about = { id: landing.taskId, title: landing.title };
          await requireHolder(board.in(tx, caller), about, 'Taking it back');
        }
        const change = { state: 'withdrawn', why: 'withdrawn' } as const;
        await changeLanding(tx, landing, change);
        const now = { ...landing, ...change };
        wake(tx, now, queue);
        return present(now, queue);
      }),

    pause: (
      call: Call,
      { project, isPaused }: Readonly<{ project?: string | undefined; isPaused: boolean }>,
    ) =>
      acting.change(call, async (tx, caller) => {
        requirePerson(caller.who, 'Pausing what lands');
        const change = { paused: isPaused, ...(!isPaused && { resumedAt: tx.now }) };
        const count = await changeQueues(tx, project, change);
        tx.emit({ kind: 'landing.paused', subject: LAND_SUBJECT, realm: 'hub', data: { isPaused } });
        return { queues: count, paused: isPaused };
      }),

    /** Until all of them are over or wait for a person; answers what they are then. */
    async wait(call: Call, ids: readonly string[], signal: AbortSignal): Promise<LandingView[]> {
      const look = async () => {
        const found = await Promise.all(ids.map((id) => this.get(call, id)));
        return found.every(({ state }) => isEnded(state) || state === 'held' || state === 'waiting_person')
          ? found
          : undefined;
      };
      return (await db.feed.until(LAND_SUBJECT, look, signal)) ?? [];
    },
  };
}
