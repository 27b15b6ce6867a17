import type { Client } from './client.ts';

/** A client that its first call opens: what a command begins with tells whether it only reads. */
export function lazyClient(open: (isReading: boolean) => Promise<Client>): Client {
  let opened: Promise<Client> | undefined;
  const openFor = (isReading: boolean): Promise<Client> => (opened ??= open(isReading));
  return {
    async call<T>(method: string, path: string, body?: unknown): Promise<T> {
      return (await openFor(method === 'GET')).call<T>(method, path, body);
    },
    async *follow(path, signal) {
      yield* (await openFor(true)).follow(path, signal);
    },
    async [Symbol.asyncDispose]() {
      // Why it could not be opened is for the call that tried to say.
      const client = await opened?.catch(() => undefined);
      await client?.[Symbol.asyncDispose]();
    },
  };
}
