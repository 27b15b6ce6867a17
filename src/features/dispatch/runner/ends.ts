// How an attempt on a runner ended, in the words of the wire, and telling it until the hub knows.
import { toHubError } from '../../../kernel/errors.ts';
import type { Active, Stop } from '../attempt/active.ts';
import type { LaneDone } from '../lanes/run-agent.ts';
import type { PlacedRun, WireEnd } from '../pool/wire.ts';
import { toldTime } from '../quota/decide.ts';
import { type At, HubAway, restAfter, type RunnerLink } from './link.ts';

type End = Omit<WireEnd, 'fence'>;

export function endOf(done: LaneDone | undefined, why: Stop | undefined): End {
  const outcome = done && outcomeOf(done);
  if (why?.kind === 'cancel') return { state: 'cancelled', ...(outcome && { outcome }) };
  if (why?.kind === 'shutdown')
    return { state: 'handed_over', error: { class: 'crash', text: 'its runner stopped while it ran' } };
  if (why?.kind === 'limit')
    return { state: 'failed', error: { class: 'limit', text: why.text }, ...(outcome && { outcome }) };
  const error = done?.outcome.error;
  return {
    state: done?.outcome.isDone === true ? 'done' : 'failed',
    ...(outcome && { outcome }),
    ...(error && { error: { ...error, text: error.text.slice(0, 20_000) } }),
  };
}

/** With a time, where one was told: words are read on the clock that its process looked at. */
export function limitOf(
  { outcome: { limit } }: LaneDone,
  { run, hasSpoken = false }: Active,
  at: Parameters<typeof toldTime>[1],
): Pick<WireEnd, 'limit'> {
  if (!limit) return {};
  const resetsAt = toldTime(limit, at);
  const { kind, text } = limit;
  return {
    limit: {
      kind,
      text: text.slice(0, 20_000),
      spoken: hasSpoken,
      session: run.sessionId,
      ...(resetsAt !== undefined && { resets_at: resetsAt }),
    },
  };
}

function outcomeOf({ outcome, lastMessage }: LaneDone): NonNullable<WireEnd['outcome']> {
  const { text, exit, sessionId, usage } = outcome;
  return {
    text: cutToBytes(text, MOST_TEXT),
    ...(lastMessage !== undefined && { last: lastMessage }),
    code: exit?.code ?? null,
    signal: exit?.signal ?? null,
    ...(sessionId !== undefined && { session: sessionId }),
    ...(usage && { usage: { ...usage } }),
  };
}

/** As it is on the wire, where a letter may be six bytes. */
const MOST_TEXT = 1024 * 1024;

function cutToBytes(text: string, most: number): string {
  const size = Buffer.byteLength(JSON.stringify(text));
  if (size <= most) return text;
  // What is dense at its beginning is cut once more.
  return cutToBytes(text.slice(0, Math.floor((text.length * most) / size)), most);
}

export function failure(thrown: unknown): End {
  const { message, code } = toHubError(thrown);
  return {
    state: 'failed',
    error: { class: code === 'internal' ? 'crash' : 'config', text: message.slice(0, 2_000) },
  };
}

/** Until the hub knows: the run is not over before. False when that was not to be waited for. */
export async function tellEnd(link: RunnerLink, told: Told, signal?: AbortSignal): Promise<boolean> {
  const { at, end } = told;
  for (let failures = 0; signal?.aborted !== true; failures += 1) {
    try {
      await link.end(at, end);
      return true;
    } catch (error) {
      // Whatever was refused was decided by somebody else.
      if (!(error instanceof HubAway)) return true;
      await restAfter(failures, signal);
    }
  }
  return false;
}

type Told = Readonly<{ at: At; end: End }>;

export function tellFailure(
  link: RunnerLink,
  { run, attempt, fence }: PlacedRun,
  thrown: unknown,
): Promise<boolean> {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const error = { class: 'config', text: `the runner could not make it: ${text.slice(0, 2_000)}` };
  return tellEnd(link, { at: { run, attempt, fence }, end: { state: 'failed', error } });
}
