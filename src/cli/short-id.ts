import { HubError } from '../kernel/errors.ts';

/** Ids made in the same hour begin alike, so people name a thing by the end of its id. */
const SHOWN = 8;
const WHOLE = 32;

export function shortId(id: string): string {
  return id.length > WHOLE ? id.slice(-SHOWN) : id;
}

/** The whole id of the one that ends like this; what is not among them is left as it is, for the hub to refuse. */
export function idEnding(ids: readonly string[], given: string, what: string): string {
  if (given.length > WHOLE || ids.includes(given)) return given;
  const found = given === '' ? [...ids] : ids.filter((id) => id.endsWith(given.toLowerCase()));
  if (found.length > 1) {
    const message = `${found.length} ${what} end with ${given}; give more of the id.`;
    throw new HubError('invalid', message, { ids: found.slice(0, 20) });
  }
  return found[0] ?? given;
}
