export type Limits = Readonly<{
  /** How long a call may assume that its caller listens. */
  callMs: number;
  /** Open `subscriptions/listen` requests and legacy streams, all callers together. */
  listeners: number;
  /** Watched resources of one listener. */
  watched: number;
}>;

export const DEFAULT_LIMITS: Limits = { callMs: 300_000, listeners: 1_024, watched: 256 };
