import { HubError } from '../../../kernel/errors.ts';

function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Two transactions got in each other's way; running the unit again is the cure. */
export function isConflict(thrown: unknown): boolean {
  return codeOf(thrown) === '40001' || codeOf(thrown) === '40P01';
}

/** The server went away, is starting or is stopping. */
export function isConnectionLoss(thrown: unknown): boolean {
  if (
    /^(?:08|57P0[1-5]|53300$|ECONN|EPIPE$|ETIMEDOUT$|EHOSTUNREACH$|ENOTFOUND$|ENOENT$)/.test(codeOf(thrown))
  )
    return true;
  return (
    thrown instanceof Error &&
    /connection terminated|client has encountered a connection error|not queryable|timeout exceeded when trying to connect/i.test(
      thrown.message,
    )
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
      {
        hint: 'Look before you repeat it, or repeat it with the same idempotencyKey.',
      },
      thrown,
    );
  }
  if (isConnectionLoss(thrown))
    return new HubError('unavailable', 'Nothing was saved: the database is not reachable.', {}, thrown);
  const code = codeOf(thrown);
  if (isConflict(thrown) || code === '55P03')
    return new HubError('busy', 'The database is busy with other writers.', {}, thrown);
  if (code.startsWith('23'))
    return new HubError('conflict', 'The change contradicts what is stored.', {}, thrown);
  if (code.startsWith('53') || code.startsWith('58'))
    return new HubError('unavailable', 'Nothing was saved: the database is out of resources.', {}, thrown);
  if (/^[0-9A-Z]{5}$/.test(code))
    return new HubError('internal', 'The hub hit an internal error.', {}, thrown);
  return thrown;
}
