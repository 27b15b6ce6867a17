import { HubError } from '../../../kernel/errors.ts';
import { codeOf } from '../../../kernel/file-faults.ts';

/**
 * Two transactions got in each other's way, or one waited for a lock too long; running the unit again is the
 * cure.
 */
export function isConflict(thrown: unknown): boolean {
  return ['40001', '40P01', LOCK_TIMEOUT].includes(codeOf(thrown));
}

const LOCK_TIMEOUT = '55P03';
const STATEMENT_TIMEOUT = '57014';
const IDLE_IN_TRANSACTION = '25P03';
const NO_CONNECTION_FREE = 'timeout exceeded when trying to connect';

/**
 * The connection was gone before a statement left: the server ended it because this process paused in the
 * middle of a transaction, which it only does while it waits for us, or the driver knew already. What was not
 * sent did not happen.
 */
export function isUnsent(thrown: unknown): boolean {
  if (codeOf(thrown) === IDLE_IN_TRANSACTION) return true;
  return thrown instanceof Error && /not queryable/.test(thrown.message);
}

/** The server went away, is starting or is stopping. */
export function isConnectionLoss(thrown: unknown): boolean {
  if (isUnsent(thrown)) return true;
  if (
    /^(?:08|57P0[1-5]|53300$|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENOTFOUND$|ENOENT$)/.test(codeOf(thrown))
  )
    return true;
  return (
    thrown instanceof Error &&
    (thrown.message === NO_CONNECTION_FREE || /connection terminated/i.test(thrown.message))
  );
}

/** The connection broke after COMMIT was sent: nobody can know whether it happened. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
}

export function translate(thrown: unknown): unknown {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof UncertainCommit) {
    return new HubError(
      'unavailable',
      'The connection to the database broke while saving; the change may or may not have happened.',
      { hint: 'Look before you repeat it, or repeat it with the same idempotencyKey.' },
    ).because(thrown);
  }
  if (thrown instanceof Error && thrown.message === NO_CONNECTION_FREE)
    return new HubError('busy', 'No connection to the database became free in time.').because(thrown);
  if (isConnectionLoss(thrown))
    return new HubError('unavailable', 'Nothing was saved: the database is not reachable.').because(thrown);
  const code = codeOf(thrown);
  if (isConflict(thrown) || code === STATEMENT_TIMEOUT)
    return new HubError('busy', 'The database is busy with other writers.').because(thrown);
  if (code.startsWith('23'))
    return new HubError('conflict', 'The change contradicts what is stored.').because(thrown);
  if (code === '54000')
    return new HubError('too_large', 'Something in this is longer than the database can look up.').because(
      thrown,
    );
  const reason = reasons.find(([pattern]) => pattern.test(code))?.[1];
  if (reason !== undefined)
    return new HubError('unavailable', `Nothing was saved: ${reason}.`).because(thrown);
  if (/^[0-9A-Z]{5}$/.test(code))
    return new HubError('internal', 'The hub hit an internal error.').because(thrown);
  return thrown;
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^53100$/, 'the disk of the database is full'],
  [/^25006$/, 'the database is read-only'],
  [/^42501$/, 'the user of the database may not write there'],
  [/^XX00[12]$/, 'the database is damaged'],
  [/^58030$/, 'the disk of the database reported an error'],
  [/^5[38]/, 'the database is out of resources'],
];
