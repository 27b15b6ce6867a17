import { useSyncExternalStore } from 'react';

/** Which files of which content somebody has seen. A file that changed since has not been. */
const NAME = 'holdfast viewed';
const MOST = 2_000;
const watchers = new Set<() => void>();
let known: ReadonlySet<string> | undefined;

export function useViewed(): ReadonlySet<string> {
  return useSyncExternalStore(watch, all);
}

export function setViewed(mark: string, isViewed: boolean): void {
  const next = new Set(all());
  next.delete(mark);
  if (isViewed) next.add(mark);
  known = new Set([...next].slice(-MOST));
  localStorage.setItem(NAME, JSON.stringify([...known]));
  for (const changed of watchers) changed();
}

/** `review` keeps two changes apart that hold the same file. */
export function viewedMark(review: string, file: Readonly<{ path: string; mark: string }>): string {
  return `${review} ${file.path} ${file.mark}`;
}

function all(): ReadonlySet<string> {
  if (known) return known;
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '[]');
    known = new Set(Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []);
  } catch {
    known = new Set();
  }
  return known;
}

function watch(changed: () => void): () => void {
  watchers.add(changed);
  return () => void watchers.delete(changed);
}
