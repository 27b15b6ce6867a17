/** What may come in at all, whatever it means: checked once at the edge, the same for routes and tools. */

/** Nothing here takes anything near as deep, and everything that looks at a value after this may recurse. */
export const MAX_DEPTH = 64;

/** Whether JSON is nested deeper, whatever it holds. Stops at the level that is too many, so it may recurse itself. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const name in value) if (isTooDeep((value as Record<string, unknown>)[name], levels - 1)) return true;
  return false;
}

/**
 * Why a value cannot be stored as it is, as the end of "must not …". PostgreSQL has no NUL in text and no
 * half of a character in JSON; refusing both here keeps the engines alike. Level by level and not recursive:
 * a body of 2 MB can be deeper than the stack.
 */
export function contentProblem(value: unknown): string | undefined {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return `be nested more than ${MAX_DEPTH} levels deep`;
    const inner: unknown[] = [];
    for (const item of level) {
      const problem = typeof item === 'string' ? textProblem(item) : undefined;
      if (problem) return problem;
      if (typeof item !== 'object' || item === null) continue;
      // The places of a list are no text, and a list may have a million of them.
      if (Array.isArray(item)) {
        for (const member of item) if (canHoldText(member)) inner.push(member);
        continue;
      }
      for (const [key, member] of Object.entries(item)) {
        const inKey = textProblem(key);
        if (inKey) return inKey;
        if (canHoldText(member)) inner.push(member);
      }
    }
    level = inner;
  }
  return undefined;
}

function canHoldText(value: unknown): boolean {
  return typeof value === 'string' ? value !== '' : typeof value === 'object' && value !== null;
}

function textProblem(text: string): string | undefined {
  if (text.includes('\0')) return 'contain NUL characters';
  return text.isWellFormed() ? undefined : 'contain half of a character (an unpaired surrogate)';
}
