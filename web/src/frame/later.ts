/**
 * Parts of the page that are loaded when they are needed. When nothing else is to be done all of them are fetched ahead:
 * then the page is whole, and stays so while the hub is away.
 */
const loads: (() => Promise<unknown>)[] = [];

/** The hub was away, or has another page by now. It is not the router's to load the page again: the hub may be gone. */
export class MissingPart extends Error {}

export function later<T>(load: () => Promise<T>): () => Promise<T> {
  const tell = () =>
    load().catch((cause: unknown) => {
      throw new MissingPart('a part of the page could not be fetched', { cause });
    });
  loads.push(tell);
  return tell;
}

const PAUSE_MS = 2_000;

export function fetchAhead(): void {
  setTimeout(() => void fetchAll(), PAUSE_MS);
}

async function fetchAll(): Promise<void> {
  // A part that is loaded may name further ones.
  for (let at = 0; at < loads.length; at += 1) {
    await idle();
    await loads[at]!().catch(() => undefined);
  }
}

function idle(): Promise<void> {
  return new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: PAUSE_MS });
    else setTimeout(resolve, 50);
  });
}
