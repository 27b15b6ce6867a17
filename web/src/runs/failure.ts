import type { Run } from './queries.ts';

/** Why it failed, in a line: what the hub knows, and the last thing its program complained of. */
export function whyFailed({ error }: Pick<Run, 'error'>): string | undefined {
  if (!error) return undefined;
  const complaint = error.stderr?.trim().split('\n').at(-1)?.trim() ?? '';
  return complaint === '' || error.text.includes(complaint)
    ? error.text
    : `${error.text}: ${complaint.slice(0, 200)}`;
}
