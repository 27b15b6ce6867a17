// The sign of life of an attempt on a runner: a request that is always with the hub. What the attempt asks goes along with it, and
// what the hub has to say comes with its answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Stop } from '../attempt/active.ts';
import { type Command, MOST_ASKS, type WireAsk } from '../pool/wire.ts';
import { type At, HubAway, restAfter, type RunnerLink } from './link.ts';

const BEAT_WAIT_MS = 15_000;

type Answer = Pick<Command, 'decision' | 'text'>;
type HubQuestions = ReturnType<typeof createHubQuestions>;

export function createHubQuestions() {
  const open = new Map<string, Readonly<{ asked: WireAsk; answer(given: Answer): void }>>();
  let stir = () => {};
  return {
    /** No more than are taken at once: the rest comes when one of these has its answer. */
    asks: (): WireAsk[] => [...open.values()].slice(0, MOST_ASKS).map(({ asked }) => asked),
    /** Told when there is something new to ask. */
    stirred: (wake: () => void) => (stir = wake),
    hear(command: Command): void {
      const found = command.id === undefined ? undefined : open.get(command.id);
      open.delete(command.id ?? '');
      found?.answer(command);
    },
    ask(asked: Omit<WireAsk, 'id'>, signal: AbortSignal): Promise<Answer> {
      const id = newId();
      return new Promise((resolve) => {
        const leave = () => {
          open.delete(id);
          resolve({ decision: 'void' });
        };
        const answer = (given: Answer) => {
          signal.removeEventListener('abort', leave);
          resolve(given);
        };
        if (signal.aborted) return leave();
        signal.addEventListener('abort', leave, { once: true });
        open.set(id, { asked: { ...asked, id }, answer });
        stir();
      });
    },
  };
}

type Beating = Readonly<{
  link: RunnerLink;
  at: At;
  questions: HubQuestions;
  log: Log;
  stop(why: Stop): void;
}>;

/** One request is always with the hub: it answers as soon as there is something to do. */
export async function beat({ link, at, questions, log, stop }: Beating, over: AbortSignal): Promise<void> {
  let turn = new AbortController();
  questions.stirred(() => turn.abort());
  for (let failures = 0; !over.aborted;) {
    turn = new AbortController();
    try {
      const asking = { asks: questions.asks(), waitMs: BEAT_WAIT_MS };
      const commands = await link.beat(at, asking, AbortSignal.any([over, turn.signal]));
      failures = 0;
      for (const command of commands) {
        if (command.kind === 'cancel') stop({ kind: 'cancel' });
        else questions.hear(command);
      }
      if (commands.some(({ kind }) => kind === 'cancel'))
        await sleep(1_000, undefined, { signal: over }).catch(() => undefined);
    } catch (error) {
      if (over.aborted || turn.signal.aborted) continue;
      if (!(error instanceof HubAway)) {
        log.info('an attempt is not ours any more', { run: at.run, error });
        return stop({ kind: 'taken' });
      }
      await restAfter(failures, over);
      failures += 1;
    }
  }
}
