import { sha256 } from '../../kernel/digest.ts';

/** What a turn is known by where its client calls it nothing: short, since there are a million of them. */
export function digestOf(value: unknown): string {
  return sha256(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 22);
}
