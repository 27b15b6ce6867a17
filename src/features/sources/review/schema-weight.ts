import { isObject } from '../../../kernel/loose-json.ts';

/**
 * How many parts a schema has when every reference in it is followed: what one value may cost to check. Infinite for
 * one that leads back to itself, since every way through it may fork at each turn.
 */
export function weightOf(schema: unknown): number {
  const known = new Map<object, number>();
  const open = new Set<object>();

  function weigh(part: unknown): number {
    if (part === null || typeof part !== 'object') return 1;
    const before = known.get(part);
    if (before !== undefined) return before;
    if (open.has(part)) return Infinity;
    open.add(part);
    const weight = Object.values(part).reduce<number>(
      (sum, item) => sum + weigh(item),
      1 + weighReference(part),
    );
    open.delete(part);
    known.set(part, weight);
    return weight;
  }

  function weighReference(part: object): number {
    const reference = isObject(part) ? part['$ref'] : undefined;
    if (typeof reference !== 'string' || !reference.startsWith('#')) return 0;
    return reference.includes('%') ? Infinity : weigh(lookUp(schema, reference));
  }

  return weigh(schema);
}

/** By a JSON pointer; what leads nowhere weighs next to nothing, and the checker refuses it. */
function lookUp(schema: unknown, reference: string): unknown {
  let here = schema;
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    here = isObject(here) || Array.isArray(here) ? (here as Record<string, unknown>)[key] : undefined;
  }
  return here;
}
