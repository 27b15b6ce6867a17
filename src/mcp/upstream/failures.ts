import { HubError } from '../../kernel/errors.ts';
import { isObject } from '../../kernel/loose-json.ts';

/**
 * What went wrong with a server of others, as far as it matters to whoever called.
 * `unsent`: it cannot have begun. `session`: the server has forgotten us, and did nothing. `closed`: it may have begun.
 * `answered`: the server itself said no.
 */
export type Failure = 'unsent' | 'session' | 'closed' | 'timeout' | 'login' | 'answered' | 'broken';

/** An error answer of the server, as it stood on the wire. */
export type Refused = Readonly<{ code: number; message: string; data?: unknown }>;

/** Of an error that has passed this folder's border; everything else is broken in ways nobody foresaw. */
export function failureIn(error: unknown): Failure {
  return (
    (error instanceof HubError ? (error.details['failure'] as Failure | undefined) : undefined) ?? 'broken'
  );
}

export function isRefused(value: unknown): value is Refused {
  return isObject(value) && typeof value['code'] === 'number' && typeof value['message'] === 'string';
}
