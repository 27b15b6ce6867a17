import { HubError } from '../kernel/errors.ts';

/** Ids made in the same hour begin alike, so people name a thing by the end of its id. */
const SHOWN = 8;
const WHOLE = 32;

export function shortId(id: string): string {
  return id.length > WHOLE ? id.slice(-SHOWN) : id;
}

/** The whole id of the one that ends like this; what is not among them is left as it is, for the hub to refuse. */
export function idEnding(ids: readonly string[], given: string, what: string): string {
  if (isWhole(given) || ids.includes(given)) return given;
  const found = given === '' ? [...ids] : ids.filter((id) => id.endsWith(given.toLowerCase()));
  return theOne({ ids: found.slice(0, NAMED), total: found.length }, given, what);
}

export function isWhole(given: string): boolean {
  return given.length > WHOLE;
}

const NAMED = 20;
type Found = Readonly<{ ids: readonly string[]; total: number }>;

export function theOne({ ids, total }: Found, given: string, what: string): string {
  if (total <= 1) return ids[0] ?? given;
  throw new HubError('invalid', `${total} ${what} end with ${given}; give more of the id.`, { ids });
}
