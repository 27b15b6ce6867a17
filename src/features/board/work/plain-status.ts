import { needsHolder } from '../rules.ts';
import type { Status } from '../task.ts';

/** A status that says something without a holder: what somebody elsewhere is at is work to be done here. */
export function plainStatus(status: Status): Status {
  return needsHolder(status) && status !== 'done' ? 'todo' : status;
}
