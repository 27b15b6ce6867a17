import { createHash } from 'node:crypto';
import type { Once } from './database.ts';

/**
 * One owner, one tool, one key: one change. The hash tells a repetition from another request under the same key, so that
 * only the first of two equal requests does anything and a different one is refused.
 */
export function onceKey(owner: readonly string[], tool: string, args: Readonly<Record<string, unknown>>): Once | undefined {
  const { idempotencyKey, ...rest } = args;
  if (typeof idempotencyKey !== 'string') return undefined;
  return { key: digest([...owner, tool, idempotencyKey]), hash: digest(canonical(rest)) };
}

function digest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** The same arguments in another order are the same request. */
function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, canonical(item)]);
}
