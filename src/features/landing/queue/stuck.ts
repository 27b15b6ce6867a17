// What was tried and cannot land as it is: tested again when something changed, when a person resumes it, or after a while.
import { elapsed } from '../../../kernel/clock.ts';
import type { Queue, StoredLanding } from '../rows.ts';

export type Stuck = ReturnType<typeof createStuck>;

const TRY_AGAIN_MS = 10 * 60_000;

type Noted = Readonly<{ tip: string; waiting: readonly StoredLanding[]; againMs?: number | undefined }>;

export function createStuck() {
  const known = new Map<string, Readonly<{ mark: string; until: number }>>();
  const markOf = ({ resumedAt }: Queue, tip: string, waiting: readonly StoredLanding[]) =>
    [resumedAt, tip, ...waiting.map(({ id, head }) => `${id} ${head}`)].join('\n');

  return {
    note(queue: Queue, { tip, waiting, againMs = TRY_AGAIN_MS }: Noted): void {
      known.set(queue.key, {
        mark: markOf(queue, tip, waiting),
        until: elapsed() + againMs,
      });
    },
    isStill(queue: Queue, tip: string, waiting: readonly StoredLanding[]): boolean {
      const found = known.get(queue.key);
      return found?.mark === markOf(queue, tip, waiting) && elapsed() < found.until;
    },
  };
}
