import { environmentOf, listPids, realtimeLimitOf } from './table.ts';

/** What a hub starts, and the name of the mark that each kind carries. */
export const MARKS = {
  run: 'HOLDFAST_RUN_ID',
  attempt: 'HOLDFAST_ATTEMPT',
  command: 'RUN_MARK',
  source: 'HOLDFAST_CHILD',
} as const;

/** In microseconds: nine years and more. No limit that somebody meant is as high: from here on it is a mark. */
export const LEAST_LIMIT_MARK = 2 ** 48 - 1;

/**
 * An entry in the environment of everything that one start starts: what leaves the group, and outlives its
 * parent, is known by it, also to a hub that comes after a crash.
 */
export type ProcessMark = Readonly<{
  name: string;
  value: string;
  /**
   * A soft limit of real-time scheduling that means nothing: who clears the environment has it all the same.
   */
  limit?: number;
}>;

export function hasMark(pid: number, { name, value, limit }: ProcessMark): boolean {
  const isNamed = environmentOf(pid)?.includes(`\0${name}=${value}\0`) ?? false;
  return isNamed || (limit !== undefined && realtimeLimitOf(pid) === String(limit));
}

/** Was it started by a hub, as far as it tells? A mark that this process has as well is older than both. */
export function isMarked(pid: number): boolean {
  const limit = realtimeLimitOf(pid);
  if (limit !== realtimeLimitOf(process.pid) && Number(limit) >= LEAST_LIMIT_MARK) return true;
  const [theirs, ours] = [entriesOf(pid), entriesOf(process.pid)];
  return Object.values(MARKS).some((name) =>
    theirs.some((entry) => entry.startsWith(`${name}=`) && !ours.includes(entry)),
  );
}

function entriesOf(pid: number): readonly string[] {
  return environmentOf(pid)?.split('\0') ?? [];
}

type Marked = Readonly<{ pid: number; value: string }>;

/** Every process that carries a mark of this name, and which. */
export function markedBy(name: string): Marked[] {
  const entry = new RegExp(`\\0${name}=([^\\0]*)\\0`);
  return listPids().flatMap((pid) => {
    const value = entry.exec(environmentOf(pid) ?? '')?.[1];
    return value === undefined ? [] : [{ pid, value }];
  });
}
