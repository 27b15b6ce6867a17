import { AsyncLocalStorage } from 'node:async_hooks';

/** The key for a language model that came with a request. It is nowhere but here, and only for as long as the request. */
const current = new AsyncLocalStorage<string>();

export function withRequestKey<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  return key === undefined ? work() : current.run(key, work);
}

export function requestKey(): string | undefined {
  return current.getStore();
}
