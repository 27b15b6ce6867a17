import type { Started } from '../../../kernel/process/start.ts';
import type { Run } from '../run.ts';

/** Why a run is told to stop. */
export type Stop = Readonly<
  | { kind: 'cancel' }
  | { kind: 'shutdown' }
  | { kind: 'limit'; text: string }
  /** The run is somebody else's now, or over: nothing more is written of it. */
  | { kind: 'taken' }
>;

/** A run that this hub runs now. */
export type Active = {
  run: Run;
  readonly stopping: AbortController;
  /** When its part began; undefined before. */
  startedAt?: number | undefined;
  /** Its model said or did something in this part. */
  hasSpoken?: boolean;
  /** Tools that it has begun and not ended: meanwhile it waits for them, and not for its model. */
  tools?: ReadonlySet<string>;
  /** Of this part: aborted, with how long that was, when its model has said nothing for too long. */
  silence?: AbortController;
  /** Undefined until one of its agents has been started. */
  child: Started | undefined;
};
