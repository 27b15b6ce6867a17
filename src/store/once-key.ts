import { canonicalJson } from '../kernel/canonical-json.ts';
import { sha256 } from '../kernel/digest.ts';
import type { Once } from './database.ts';

/**
 * One owner, one tool, one key: one change. The hash tells a repetition from another request under the same key, so that
 * only the first of two equal requests does anything and a different one is refused.
 */
export function onceKey(
  owner: readonly string[],
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Once | undefined {
  const { idempotencyKey, ...rest } = args;
  if (typeof idempotencyKey !== 'string') return undefined;
  return { key: sha256(JSON.stringify([...owner, tool, idempotencyKey])), hash: sha256(canonicalJson(rest)) };
}
