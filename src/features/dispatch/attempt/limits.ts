// How long a run may take, say nothing and cost, and what happens then.
import type { Active, Stop } from './active.ts';
import { isNamed } from '../agents/families.ts';
import type { Usage } from '../frames/common.ts';
import type { Log } from '../../../kernel/log.ts';
import type { RunWriter } from '../stream/run-writer.ts';
import type { Spending } from './spending-watch.ts';

const MINUTE = 60_000;

type Watched = Readonly<{ writer: Pick<RunWriter, 'notice'>; spending: Spending; log: Log }>;

export type LimitWatch = Readonly<{ heard(): void; spent(usage: Usage): void; end(): void }>;

/**
 * Wall clock and silence end a run; a budget asks first. Time in which it waits for a person does not count
 * as silence. A client whose model is silent has met a limit that it does not tell of.
 */
export function watchLimits(
  entry: Active,
  { writer, spending, log }: Watched,
  ask: (what: string) => Promise<boolean>,
): LimitWatch {
  const { run, stopping } = entry;
  const { minutes, idle } = run.limits;
  let heardAt = performance.now();
  let isAsking = false;
  let [dollars, turns] = [run.limits.dollars, run.limits.turns];
  const stop = (text: string) => stopping.abort({ kind: 'limit', text } satisfies Stop);
  const wall = setTimeout(
    () => stop(`it ran for ${minutes} minutes, which is its limit`),
    Math.min(minutes * MINUTE, 2 ** 31 - 1),
  );
  const look = setInterval(
    () => {
      if (isAsking || performance.now() - heardAt <= idle * MINUTE) return;
      if (waitsForModel(entry))
        entry.silence?.abort(`it waited for its model for ${idle} minutes without a word`);
      else stop(`it said nothing for ${idle} minutes, which is its limit`);
    },
    Math.max(50, Math.min(5_000, (idle * MINUTE) / 4)),
  );

  async function askFor(what: string, raise: () => void): Promise<void> {
    isAsking = true;
    writer.notice(`${what} The run waits until a person allows more.`);
    const isAllowed = await ask(what);
    heardAt = performance.now();
    isAsking = false;
    if (isAllowed) {
      raise();
      await spending.raise();
    } else if (!stopping.signal.aborted) stop(`${what} Nobody allowed more.`);
  }

  let isCounting = false;
  let newest: Usage | undefined;
  /** One at a time; of what was told meanwhile the last word counts. */
  async function countTogether(usage: Usage): Promise<void> {
    newest = usage;
    if (isCounting) return;
    isCounting = true;
    try {
      while (newest) {
        const next: Usage = newest;
        newest = undefined;
        const what = await spending.spent(next);
        if (what !== undefined && !isAsking && !stopping.signal.aborted) await askFor(what, () => undefined);
      }
    } catch (error) {
      log.warn('what a run has spent was not counted', { run: run.id, error });
    } finally {
      isCounting = false;
    }
  }

  return {
    heard: () => void (heardAt = performance.now()),
    spent(usage) {
      const { costUsd, turns: taken } = usage;
      void countTogether(usage);
      if (isAsking) return;
      if (dollars !== undefined && costUsd !== null && costUsd >= dollars) {
        const most = dollars;
        void askFor(
          `It has cost $${costUsd.toFixed(2)} of a budget of $${most}.`,
          () => (dollars = costUsd + most),
        );
      } else if (turns !== undefined && taken > turns) {
        const most = turns;
        void askFor(`It took ${taken} turns of a budget of ${most}.`, () => (turns = taken + most));
      }
    },
    end() {
      clearTimeout(wall);
      clearInterval(look);
    },
  };
}

/** A client that has no tool under way; a plain command waits for nobody that is known. */
function waitsForModel({ run: { family }, tools, silence }: Active): boolean {
  return silence !== undefined && tools?.size === 0 && (isNamed(family) || family === 'acp');
}
