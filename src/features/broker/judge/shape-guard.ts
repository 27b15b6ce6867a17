/** What any tool's arguments must be before anything recursive looks at them: not too deep, not too large, no prototype keys. */
const MAX_DEPTH = 64;
const MAX_NODES = 200_000;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** Iterative on purpose: the arguments may be deeper than the stack. Answers what is wrong, or nothing. */
export function shapeProblem(args: unknown): string | undefined {
  const open: { value: unknown; depth: number }[] = [{ value: args, depth: 0 }];
  let nodes = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (value === null || typeof value !== 'object') continue;
    if (depth > MAX_DEPTH) return `arguments are nested more than ${MAX_DEPTH} levels deep`;
    for (const key of Object.keys(value)) {
      if (FORBIDDEN.has(key)) return `${JSON.stringify(key)} is not an argument name`;
      nodes += 1;
      if (nodes > MAX_NODES) return `arguments have more than ${MAX_NODES} values`;
      open.push({ value: (value as Record<string, unknown>)[key], depth: depth + 1 });
    }
  }
  return undefined;
}
