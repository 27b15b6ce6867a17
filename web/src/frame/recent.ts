const KEY = 'holdfast.recent';
const MOST = 8;

/** What was chosen lately in the box for everything, newest first: ids alone, and in this browser only. */
export function recent(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string').slice(0, MOST) : [];
  } catch {
    return [];
  }
}

export function remember(id: string): void {
  try {
    localStorage.setItem(KEY, JSON.stringify([id, ...recent().filter((each) => each !== id)].slice(0, MOST)));
  } catch {
    // A browser that keeps nothing has no recent things.
  }
}
