import { HubError } from './errors.ts';
import { reasonOf } from './file-faults.ts';

/** The one refusal of everything that makes a file for a person: which file, and why not. */
export function cannotWrite(path: string, cause: unknown): HubError {
  if (cause instanceof HubError) return cause;
  return new HubError('unavailable', `${path} cannot be written (${reasonOf(cause)}).`, {
    hint: 'Check that its folder exists, that you may write there and that the disk has room.',
  }).because(cause);
}
