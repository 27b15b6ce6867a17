// Patrols: asked for, queued, run by one hub at a time. A key that came with a request waits sealed.
import type { Log } from '../../../kernel/log.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Running } from '../../../store/consumers.ts';
import { dropJob, enqueue } from '../../../store/jobs.ts';
import { startWorker } from '../../../store/worker.ts';
import { addMessages, type NewMessage } from '../history.ts';
import { type Parts, requireBeing } from '../parts.ts';
import { beingRow } from '../rows/beings.ts';
import { findMessages } from '../rows/messages.ts';
import type { Held, Seen } from '../rows/whose.ts';
import type { Sealing } from '../seal.ts';
import { createAsk, KEY_WITHOUT_MODEL, type ModelEndpoint } from '../../../kernel/language-model.ts';
import { type PatrolReport, runPatrol, type RunOptions } from './run.ts';

type TriggerRequest = Readonly<{
  messages: readonly NewMessage[];
  markerId?: string | undefined;
  /** The key that came with the request; the Being's own one unless given. */
  key?: string | undefined;
  isDry?: boolean;
  actor?: Actor;
  signal: AbortSignal;
}>;

type TriggerReport = PatrolReport & Readonly<{ skipped: number; isMarkerStale: boolean }>;

export interface Patrol {
  trigger(being: string, request: TriggerRequest): Promise<TriggerReport>;
  /** In the transaction that makes it necessary; a worker of a hub does it. */
  enqueue(self: Held, key: string | undefined): Promise<void>;
  /** What keeps a key from being of use here. */
  noteOn(key: string): string | undefined;
  start(hub: string, log: Log): Running;
}

const QUEUE = 'being.patrol';

export function createPatrol(parts: Parts, place: ModelEndpoint, options: RunOptions = {}): Patrol {
  const { db, sealing } = parts;

  async function askFor(being: string, given: string | undefined) {
    const { llmKey } = await db.read((q) => requireBeing({ q, being }));
    const key = given ?? (llmKey === null ? undefined : sealing.open(llmKey, keyPlace(being)));
    return key === undefined ? { ask: undefined } : { ask: createAsk(key, place), whyNoModel: noteOn(key) };
  }

  function noteOn(key: string): string | undefined {
    return createAsk(key, place) === undefined ? KEY_WITHOUT_MODEL : undefined;
  }

  const trigger: Patrol['trigger'] = async (
    being,
    { messages, markerId, key, isDry = false, actor, signal },
  ) => {
    const model = await askFor(being, key);
    let skipped = 0;
    let isMarkerStale = false;
    const report = await runPatrol(
      parts,
      {
        being,
        ...model,
        isDry,
        signal,
        markerGiven: markerId,
        ...(actor && { actor }),
        async onStart(self) {
          const { marker } = await requireBeing(self);
          isMarkerStale = markerId !== undefined && markerId !== marker;
          skipped = markerId === undefined || isMarkerStale ? 0 : await countKnown(self, messages);
          await addMessages(self, messages.slice(skipped));
        },
      },
      options,
    );
    return { ...report, skipped, isMarkerStale };
  };

  return {
    trigger,
    noteOn,
    async enqueue({ tx, being }, key) {
      const sealed = key === undefined ? null : sealing.seal(key, jobPlace(being));
      await enqueue(tx, { queue: QUEUE, key: being, payload: { being, key: sealed } });
    },
    start: (hub, log) =>
      startWorker({
        db,
        queue: QUEUE,
        holder: hub,
        log,
        async run({ payload }, signal) {
          const { being, key } = payload as { being: string; key: string | null };
          if ((await db.read((q) => beingRow({ q, being }))) === undefined) return;
          await trigger(being, { messages: [], key: openKey(sealing, being, key), signal });
        },
      }),
  };
}

/** A key that came with a request waits sealed like every other one. */
function openKey(sealing: Sealing, being: string, sealed: string | null): string | undefined {
  return sealed === null ? undefined : sealing.open(sealed, jobPlace(being));
}

/** What waits for a Being that goes. */
export function callOffPatrol({ tx, being }: Held): Promise<void> {
  return dropJob(tx, QUEUE, being);
}

export function keyPlace(being: string): readonly string[] {
  return [being, 'llm-key'];
}

function jobPlace(being: string): readonly string[] {
  return [being, 'llm-key of a job'];
}

/** A client that shows the last marker may repeat the conversation up to it: what is known already is the longest match. */
async function countKnown(self: Seen, messages: readonly NewMessage[]): Promise<number> {
  const stored = (await findMessages(self, { limit: messages.length })).toReversed();
  for (let count = Math.min(stored.length, messages.length); count > 0; count--) {
    const tail = stored.slice(-count);
    if (
      tail.every(
        ({ role, content }, i) => role === messages[i]!.role && content === messages[i]!.content.trim(),
      )
    )
      return count;
  }
  return 0;
}

/** The documented fields first; what was skipped and why beside them. */
export function patrolAnswer({ stats, marker, steps, skipped, isMarkerStale, resumed }: TriggerReport) {
  const isWithoutModel = steps.some(({ why }) => why === KEY_WITHOUT_MODEL);
  return {
    status: 'ok' as const,
    scenes_created: stats['scenes_created'] ?? 0,
    nodes_created: stats['nodes_created'] ?? 0,
    marker_id: marker,
    ...(skipped > 0 && { messages_skipped: skipped }),
    ...(isMarkerStale && { marker_note: 'marker_id is not the last one; no message was skipped' }),
    ...(resumed && { resumed: true }),
    ...(isWithoutModel && { model_note: KEY_WITHOUT_MODEL }),
    stats,
    steps,
  };
}
