import { fileFault } from '../kernel/file-faults.ts';

/** A refusal says what to do, a disk what is wrong with it; anything else is a defect, and we will be asked for its stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const fault = fileFault(error);
  if (fault !== undefined) return fault;
  return 'hint' in error ? `${error.message} ${String(error.hint)}` : (error.stack ?? error.message);
}
