/** No tool takes anything near as deep, and everything that looks at arguments after this may recurse. */
export const MAX_DEPTH = 64;

export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const inner of Object.values(value)) if (isTooDeep(inner, levels - 1)) return true;
  return false;
}
