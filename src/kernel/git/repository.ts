import { HubError } from '../errors.ts';
import { createKeyedTurns } from '../turns.ts';
import { type GitPlace, gitPlaceOf, repositoryAround } from './place.ts';

/** A repository with files: what a run can branch from and be merged into. */
export type Checkout = GitPlace & Readonly<{ top: string }>;

/**
 * Undefined for a folder that is in no repository. Where there is one that cannot be worked in, nothing is
 * done at all.
 */
export async function repositoryOf(folder: string): Promise<string | undefined> {
  const place = await gitPlaceOf(folder);
  if (place?.top !== undefined) return place.top;
  if (!place && repositoryAround(folder) === undefined) return undefined;
  throw noCheckout(folder);
}

export async function checkoutOf(repository: string): Promise<Checkout> {
  const place = await gitPlaceOf(repository);
  if (place?.top === undefined) throw noCheckout(repository);
  return { ...place, top: place.top };
}

function noCheckout(folder: string): HubError {
  return new HubError('unavailable', `${folder} is no checkout of a git repository.`, { retryable: false });
}

/**
 * git locks its own files and gives up when they are locked: what changes one repository is done one after
 * the other.
 */
export const inTurn = createKeyedTurns();
