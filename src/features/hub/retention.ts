import { systemActor } from '../../kernel/principal.ts';
import { dropAnswersBefore, dropEventsBefore } from '../../store/retention.ts';
import type { Chore, Ground } from '../room.ts';

const HOUR = 60 * 60_000;
const KEEP_ANSWERS = 7 * 24 * HOUR;

/** The store's own tidying: old events and old idempotent answers. */
export function retentionChore({ db, config }: Pick<Ground, 'db' | 'config'>): Chore {
  const { eventsMs } = config.retention;
  return {
    name: 'retention',
    everyMs: HOUR,
    async run() {
      if (eventsMs > 0)
        while ((await db.write(systemActor, (tx) => dropEventsBefore(tx, tx.now - eventsMs))) > 0);
      await db.write(systemActor, (tx) => dropAnswersBefore(tx, tx.now - KEEP_ANSWERS));
    },
  };
}
