import type { ErrorCode } from '../kernel/errors.ts';

/** Exit codes that scripts may branch on; docs/reference/cli.md has the same table. */
const EXIT: Readonly<Record<ErrorCode, number>> = {
  internal: 1,
  invalid: 2,
  too_large: 2,
  method_not_allowed: 2,
  unsupported_media: 2,
  not_found: 3,
  conflict: 4,
  stale_fence: 4,
  not_holder: 4,
  unauthorized: 5,
  forbidden: 5,
  limited: 6,
  busy: 6,
  unavailable: 6,
};

export function exitCodeFor(code: ErrorCode): number {
  return EXIT[code];
}

/** Ends a command that has already said everything. */
export class QuietExit extends Error {
  override readonly name = 'QuietExit';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}
