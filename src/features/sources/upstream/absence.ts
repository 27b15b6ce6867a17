import { HubError, toHubError } from '../../../kernel/errors.ts';

/** What is said of a source that is not there, or went away. */
export function tooSlow(ms: number): HubError {
  return new HubError('unavailable', `it did not come up within ${ms / 1000} s`);
}

export function toReason(error: unknown): string {
  return (error instanceof HubError ? error : toHubError(error)).message.slice(0, 600);
}

type Away = Readonly<{
  source: string;
  state: 'starting' | 'failing' | 'stopped';
  reason: string | undefined;
  tryAgainMs: number | undefined;
}>;

export function away({ source, state, reason, tryAgainMs }: Away): HubError {
  const why = state === 'stopped' ? 'it is switched off' : (reason ?? 'it is still starting');
  const when =
    tryAgainMs === undefined ? '' : ` It is tried again in ${Math.max(0, Math.ceil(tryAgainMs / 1000))} s.`;
  const hint =
    state === 'starting'
      ? 'It is on its way: try again in a moment. Other tools work.'
      : `Other tools work. A person can look: holdfast source test ${source}`;
  return new HubError('unavailable', `The source ${source} is not there: ${why}.${when}`, {
    source,
    state,
    hint,
  });
}

export function uncertain(source: string, why: string, mayHaveRun: boolean): HubError {
  const hint = mayHaveRun
    ? 'It may or may not have happened: look before you call again.'
    : 'Nothing was done; try again in a moment.';
  return new HubError('unavailable', `The source ${source} went away during the call: ${why}`, {
    source,
    mayHaveRun,
    hint,
  });
}
