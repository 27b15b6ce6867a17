import { asRead } from './unseen.ts';

/** Names that mean somebody already: who bears one would be taken for the person, the hub or everybody. */
const RESERVED: ReadonlySet<string> = new Set([
  'user',
  'human',
  'person',
  'owner',
  'operator',
  'admin',
  'administrator',
  'root',
  'local',
  'holdfast',
  'hub',
  'system',
  'assistant',
  'developer',
  'tool',
  'agent',
  'anonymous',
  'unknown',
  'nobody',
  'none',
  'null',
  'undefined',
  'all',
  'any',
  'everyone',
  'everybody',
  'broadcast',
  'team',
  'me',
  'you',
  'self',
]);

/** Told apart as people read them: `User`, `ｕｓｅｒ` and `u\u200bser` are all the same name. */
export function isReservedName(name: string): boolean {
  const read = asRead(name.normalize('NFKC'))
    .toLowerCase()
    .replace(/[\p{Cf}\p{Mn}\s]/gu, '')
    .replace(/^[@#]+/, '');
  return RESERVED.has(read);
}
