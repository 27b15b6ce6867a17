/** How much is at stake, in two words. */
export const RISK_WORDS = {
  safe: 'Little risk',
  destructive: 'Some risk',
  external: 'Goes outside',
} as const;

/** How much harm a tool can do, in words. */
export const RISKS = {
  safe: 'looks, and changes nothing',
  destructive: 'can change or remove things',
  external: 'reaches outside this machine',
} as const;

export const DECIDED = {
  pending: 'Waiting',
  allow_once: 'Allowed once',
  allow_always: 'Allowed always',
  deny: 'Denied',
  expired: 'Nobody decided in time',
} as const;

/** `operator:operator` and `local:local` are the person at the hub; everybody else goes by a name. */
export function whoDecided(by: string): string {
  return /^(operator|local):/.test(by) ? 'you' : by.replace(/^agent:/, '');
}
