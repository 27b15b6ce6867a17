import { HubError } from '../kernel/errors.ts';

/** Numbers go to the hub as numbers; whether they are in range is for the hub to say. */
export function wholeNumber(flag: string, text: unknown): number {
  if (typeof text !== 'string' || !/^-?\d{1,15}$/.test(text))
    throw new HubError('invalid', `${flag} must be a whole number; got ${JSON.stringify(text)}.`);
  return Number(text);
}
