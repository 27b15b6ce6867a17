export type EngineLimits = Readonly<{
  /** How long a call may assume that its caller listens. */
  callMs: number;
  /** Open `subscriptions/listen` requests and legacy streams: of all callers together, of one, and of one connection or session. */
  listeners: Readonly<{ total: number; perCaller: number; perSeat: number }>;
  /** Watched resources of one listener. */
  watched: number;
}>;

export const DEFAULT_LIMITS: EngineLimits = {
  callMs: 300_000,
  listeners: { total: 4_096, perCaller: 1_024, perSeat: 64 },
  watched: 256,
};
