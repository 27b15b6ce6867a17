// The queue is rows: who may take a run that waits, and how those are woken who would.
import type { Tx } from '../../../store/database.ts';
import type { Run } from '../run.ts';

/** Stirred whenever a run may be taken. */
export const QUEUE = 'queue:runs';

export function tellQueued(tx: Tx, { team }: Pick<Run, 'team'>): void {
  tx.emit({ kind: 'run.queued', subject: QUEUE, realm: 'hub', ...(team !== null && { team }) });
}

/** One that takes runs again may have what waits, and has its request with a hub already. */
export function tellDrained(tx: Tx, data: Readonly<{ name: string; drained: boolean }>): void {
  tx.emit({ kind: 'runner.drained', subject: QUEUE, realm: 'hub', data });
}

/** What one who takes runs has to offer. */
export type RunOffer = Readonly<{
  name: string;
  /** The machine whose folders it can work in, or fetch from. */
  machine: string;
  /** It works in the very folders of that machine; else in checkouts of its own. */
  isThere: boolean;
  labels: readonly string[];
  agents: readonly string[];
}>;

/** Why this one cannot have the run; nothing when it can. */
export function whyNot({ instance, wants, worktree, cwd }: Run, offer: RunOffer): string | undefined {
  if (wants.on !== undefined && wants.on !== offer.name) return `the run is for ${wants.on}`;
  const missing = wants.needs.filter((label) => !offer.labels.includes(label));
  if (missing.length > 0) return `it lacks ${missing.join(', ')}`;
  if (!offer.agents.includes(instance)) return `it has no agent ${instance}`;
  if (wants.machine === undefined) return undefined;
  if (wants.machine !== offer.machine) return 'the folder of the run is on another machine';
  if (!offer.isThere && !worktree) return `the run works in ${cwd} itself`;
  return undefined;
}
