import { HubError } from '../../../kernel/errors.ts';
import type { Event } from '../../../kernel/event.ts';
import { newId, newSecret } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { requirePerson, seesTeam } from '../../../kernel/principal.ts';
import type { Caller } from '../../../store/calls.ts';
import { type Running, startConsumer } from '../../../store/consumers.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import { enqueue, type Job } from '../../../store/jobs.ts';
import { startWorker } from '../../../store/worker.ts';
import { eventsAfter } from '../rows/events.ts';
import {
  dropHook,
  findHook,
  type Hook,
  type HookAuth,
  hooksFor,
  insertHook,
  listHooks,
  pushHooksOf,
} from '../rows/hooks.ts';
import { findRun } from '../rows/runs.ts';
import { canSeeRun, ownerOf } from '../rules.ts';
import { deliveriesOf } from './forms.ts';
import { post, requireHookUrl } from './post.ts';

/**
 * Webhooks: the events of runs, posted and signed. A delivery is a job that is made in the transaction that
 * moves the consumer, so that none is lost; it is tried again later and later and kept as dead after eight
 * times.
 */
export interface Hooks {
  /** As a person sees them in a snapshot. */
  at(q: Query, caller: Caller): HooksView;
  /** As a person changes them in a transaction. */
  in(tx: Tx, caller: Caller): HooksDesk;
  start(hub: string): Running[];
}

export interface HooksView {
  list(): Promise<Hook[]>;
  /** What A2A clients have set for one run. */
  push(runId: string): Promise<Hook[]>;
}

export interface HooksDesk {
  add(request: NewHook): Promise<Hook>;
  remove(id: string): Promise<Hook>;
  /** What an A2A client wants posted of one run; the same name again takes the place of the first. */
  setPush(request: NewPush): Promise<Hook>;
}

type NewHook = Readonly<{ url: string; runId?: string | undefined; kinds?: readonly string[] | undefined }>;

export type NewPush = Readonly<{ runId: string; name: string; url: string; auth: HookAuth }>;

export type HooksParts = Readonly<{ db: Database; log: Log; isLocalAllowed: boolean }>;

const QUEUE = 'run-hooks';
const MOST = 100;
const MOST_PUSH = 10;
const STANDARD = ['task', 'terminal'];

type Delivery = Readonly<{ hook: string; run: string; from: number; to: number }>;

export function createHooks({ db, log, isLocalAllowed }: HooksParts): Hooks {
  async function deliver(job: Job, signal: AbortSignal): Promise<void> {
    const { hook: hookId, run, from, to } = job.payload as Delivery;
    const [hook, events, now] = await db.read(async (q) => [
      await findHook(q, hookId),
      await eventsAfter(q, run, { after: from - 1, limit: to - from + 1 }),
      await findRun(q, run),
    ]);
    if (!hook || !now) return;
    const wanted = events.filter(({ kind }) => hook.kinds.split(',').includes(kind));
    for (const { body, headers } of deliveriesOf(hook, now, wanted))
      await post({ url: hook.url, secret: hook.secret, id: job.id, body, headers, isLocalAllowed, signal });
  }

  async function handle(tx: Tx, { subject: run, data = {} }: Event): Promise<void> {
    const hooks = await hooksFor(tx, run);
    if (hooks.length === 0) return;
    const found = await findRun(tx, run);
    for (const hook of hooks) {
      const isTheirs = hook.team === null || hook.team === found?.team;
      const isWanted = hook.kinds.split(',').includes(String(data['kind']));
      if (isTheirs && isWanted)
        await enqueue(tx, {
          queue: QUEUE,
          payload: { hook: hook.id, run, from: Number(data['from']), to: Number(data['to']) },
        });
    }
  }

  const deskOf = (tx: Tx, { who }: Caller): HooksDesk => {
    requirePerson(who, 'Setting webhooks');
    const owned = { owner: ownerOf(who), team: who.bound.team ?? null };

    async function put(made: Omit<Hook, 'id' | 'owner' | 'team' | 'createdAt'>): Promise<Hook> {
      const hook = { ...made, ...owned, id: newId(), createdAt: tx.now };
      await insertHook(tx, hook);
      tx.emit({ kind: 'webhook.added', subject: hook.id, realm: 'hub' });
      return hook;
    }

    return {
      async add({ url, runId, kinds = STANDARD }) {
        requireHookUrl(url, isLocalAllowed);
        const run = runId === undefined ? undefined : await findRun(tx, runId);
        if (runId !== undefined && (!run || !canSeeRun(who, run)))
          throw new HubError('not_found', 'There is no such run.');
        if ((await listHooks(tx)).length >= MOST)
          throw new HubError('limited', `There are ${MOST} webhooks already.`);
        return put({
          runId: runId ?? null,
          url,
          secret: newSecret(),
          kinds: [...new Set(kinds)].join(','),
          form: 'json',
          name: null,
          auth: null,
        });
      },
      async remove(id) {
        const hook = await findHook(tx, id);
        if (!hook || !seesTeam(who, hook.team)) throw new HubError('not_found', 'There is no such webhook.');
        await dropHook(tx, id);
        tx.emit({ kind: 'webhook.removed', subject: id, realm: 'hub' });
        return hook;
      },
      async setPush({ runId, name, url, auth }) {
        requireHookUrl(url, isLocalAllowed);
        const before = await pushHooksOf(tx, runId);
        const same = before.find((hook) => hook.name === name);
        if (!same && before.length >= MOST_PUSH)
          throw new HubError('limited', `A run has at most ${MOST_PUSH} push notification configs.`);
        if (same) await dropHook(tx, same.id);
        // Whoever gave a token can check the signature with it; without one there is nobody who could.
        const secret = auth.token ?? newSecret();
        return put({ runId, url, secret, kinds: STANDARD.join(','), form: 'a2a', name, auth });
      },
    };
  };

  return {
    at(q, { who }) {
      requirePerson(who, 'Setting webhooks');
      return {
        list: async () => (await listHooks(q)).filter((hook) => seesTeam(who, hook.team)),
        push: (runId) => pushHooksOf(q, runId),
      };
    },
    in: deskOf,
    start: (hub) => [
      startConsumer({
        db,
        log,
        name: 'run-hooks',
        holder: hub,
        kinds: new Set(['run.events']),
        handle,
      }),
      startWorker({ db, log, queue: QUEUE, holder: hub, run: deliver }),
    ],
  };
}
