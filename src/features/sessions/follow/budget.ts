/**
 * What reading in the background may take: a tenth of a core. Work is paid for at once, by a rest that is nine times as long. It counts as
 * what it used of the processor, or as how long it took where that is more: then a server or the disk worked for it, or the machine
 * has other things to do.
 */
import { elapsed, pause } from '../../../kernel/clock.ts';
import type { Pace } from './follow.ts';

const SHARE = 0.1;
/** Longer than this nobody has worked: the process was stopped for a while. */
const MOST_WAITED_MS = 5_000;
const MOST_REST_MS = 10 * 60_000;

export type Meter = Readonly<{
  /** Milliseconds of CPU that this process has used. */
  cpu(): number;
  elapsed(): number;
}>;

export interface Budget {
  /** Work begins now; what was used before is not its. */
  begin(): void;
  /** How long to rest for what was used since. */
  owed(): number;
}

export function createBudget(meter: Meter): Budget {
  let begun = { cpu: 0, at: 0 };
  return {
    begin() {
      begun = { cpu: meter.cpu(), at: meter.elapsed() };
    },
    owed() {
      const waited = Math.min(meter.elapsed() - begun.at, MOST_WAITED_MS);
      const used = Math.max(meter.cpu() - begun.cpu, waited);
      return Math.min(MOST_REST_MS, used / SHARE - waited);
    },
  };
}

const processMeter: Meter = {
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
  elapsed,
};

/** Small slices, so that nobody waits for one. */
export function slowPace(signal: AbortSignal): Pace {
  const budget = createBudget(processMeter);
  return {
    bytes: 128 * 1024,
    rows: 100,
    signal,
    begin: () => budget.begin(),
    async rest(ended) {
      await pause(budget.owed(), ended);
      budget.begin();
    },
  };
}
