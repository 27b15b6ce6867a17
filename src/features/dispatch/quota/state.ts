// What a run remembers of the limits it met, in its row: whoever goes on with it needs nothing else.
import { LIMIT_KINDS } from './limit.ts';

/** `budget`: its own window is spent. */
export const WAIT_KINDS = [...LIMIT_KINDS, 'budget'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** How its next part begins: as if nothing had been, in its agent's own session, or with an account of what was. */
type GoOn = 'anew' | 'session' | 'account';

export type QuotaState = Readonly<{
  /** The instance it was sent to, and the model that was asked for there. */
  first: string;
  model: string | null;
  /** How often it waited; and since its model last said something. */
  parks: number;
  inRow: number;
  /** Instances that met a limit, until when; null: it does not pass. */
  met: Readonly<Record<string, number | null>>;
  goOn: GoOn;
  /** The attempt that begins so; one that follows because another was lost begins as that does. */
  attempt: number;
  /** Something was said in one of its parts. */
  hasSpoken: boolean;
  /** Set while it waits. */
  waits: Waits | null;
}>;

type Waits = Readonly<{
  kind: WaitKind;
  text: string;
  since: number;
  /** Its folder and its sessions are on this machine; null: a runner had it, and whoever can may go on. */
  host: string | null;
}>;
