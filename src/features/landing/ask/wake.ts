import type { Tx } from '../../../store/database.ts';
import { LAND_SUBJECT } from '../landing-shapes.ts';
import type { Queue, StoredLanding } from '../rows.ts';

/** Whoever works on the queue, or waits for this one, hears of it. */
export function wake(tx: Tx, { id, taskId, state }: StoredLanding, { project }: Queue): void {
  const data = { landingId: id, taskId, state };
  tx.emit({ kind: 'landing.changed', subject: LAND_SUBJECT, realm: 'hub', team: project, data });
}
