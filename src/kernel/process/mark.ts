import { environmentOf, listPids, realtimeLimitOf } from './table.ts';

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

type Marked = Readonly<{ pid: number; value: string }>;

/** Every process that carries a mark of this name, and which. */
export function markedBy(name: string): Marked[] {
  const entry = new RegExp(`\\0${name}=([^\\0]*)\\0`);
  return listPids().flatMap((pid) => {
    const value = entry.exec(environmentOf(pid) ?? '')?.[1];
    return value === undefined ? [] : [{ pid, value }];
  });
}
