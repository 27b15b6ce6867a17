import { type Context, createContext, Script } from 'node:vm';

/** By the clock on the wall, so a busy machine must have room for what is innocent. */
const MOST_MS = 3_000;
const CALL = new Script('work()');
let room: (Context & { work: () => unknown }) | undefined;

/**
 * Runs work that a hostile pattern could make endless, and answers undefined when it has to be stopped. Only what a script
 * calls can be stopped in the middle of an expression; everything else would hold the whole hub.
 */
export function inTime<T extends object>(work: () => T): T | undefined {
  room ??= createContext({ work }) as Context & { work: () => unknown };
  room.work = work;
  try {
    return CALL.runInContext(room, { timeout: MOST_MS }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
}
