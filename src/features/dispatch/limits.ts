import type { Active, Stop } from './active.ts';
import type { Usage } from './frames/common.ts';
import type { RunLedger } from './ledger.ts';

const MINUTE = 60_000;

export type LimitWatch = Readonly<{ heard(): void; spent(usage: Usage): void; end(): void }>;

/** Wall clock and silence end a run; a budget asks first. Time in which it waits for a person does not count as silence. */
export function watchLimits(
  { run, stopping }: Pick<Active, 'run' | 'stopping'>,
  ledger: Pick<RunLedger, 'notice'>,
  ask: (what: string) => Promise<boolean>,
): LimitWatch {
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
      if (!isAsking && performance.now() - heardAt > idle * MINUTE)
        stop(`it said nothing for ${idle} minutes, which is its limit`);
    },
    Math.max(50, Math.min(5_000, (idle * MINUTE) / 4)),
  );

  async function askFor(what: string, raise: () => void): Promise<void> {
    isAsking = true;
    ledger.notice(`${what} The run waits until a person allows more.`);
    const isAllowed = await ask(what);
    heardAt = performance.now();
    isAsking = false;
    if (isAllowed) raise();
    else if (!stopping.signal.aborted) stop(`${what} Nobody allowed more.`);
  }

  return {
    heard: () => void (heardAt = performance.now()),
    spent({ costUsd, turns: taken }) {
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
