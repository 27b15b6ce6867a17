import type { Database } from '../../store/database.ts';

/** Longest wait for something new; below the minute at which most clients give up. */
export const MAX_WAIT_SECONDS = 50;

/**
 * Looks, and looks again whenever something is said in the room, until there is something to answer or the time is up:
 * then the last look is the answer. Ends early with the signal's reason when the caller goes away.
 */
export async function lookUntil<T>(
  feed: Database['feed'],
  { roomId, waitSeconds, signal }: Readonly<{ roomId: string; waitSeconds: number; signal: AbortSignal }>,
  look: () => Promise<Readonly<{ answer: T; isEnough: boolean }>>,
): Promise<T> {
  let last = await look();
  if (last.isEnough || waitSeconds === 0) return last.answer;
  const timeUp = AbortSignal.timeout(waitSeconds * 1000);
  try {
    await feed.until(
      roomId,
      async () => {
        last = await look();
        return last.isEnough ? true : undefined;
      },
      AbortSignal.any([signal, timeUp]),
    );
  } catch (error) {
    if (!timeUp.aborted || signal.aborted) throw error;
  }
  return last.answer;
}
