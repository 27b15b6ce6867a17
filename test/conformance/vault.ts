import type { LoginVault } from '../../src/mcp/upstream/login.ts';

/** Credentials for the length of one scenario. */
export function createMemoryVault(): LoginVault {
  const values = new Map<string, string>();
  return {
    async get(key) {
      return values.get(key);
    },
    async set(key, value) {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
    },
  };
}
