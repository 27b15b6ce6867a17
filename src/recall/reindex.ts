import type { Log } from '../kernel/log.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Running } from '../store/consumers.ts';
import type { Database, Query, Tx } from '../store/database.ts';
import { enqueue } from '../store/jobs.ts';
import { startWorker } from '../store/worker.ts';
import type { ItemText } from './analyse/analyse.ts';
import { reanalyseItem } from './index-store.ts';
import * as rows from './rows.ts';

/** The texts of items by number, as their owner has them. */
export type ReadItemTexts = (q: Query, numbers: readonly number[]) => Promise<ReadonlyMap<number, ItemText>>;

export type ReindexOptions = Readonly<{
  db: Database;
  space: string;
  texts: ReadItemTexts;
  /** More that has to be filed, a page at a time; `fileMore` answers how much it was. */
  hasMore(q: Query): Promise<boolean>;
  fileMore(tx: Tx, most: number): Promise<number>;
  holder: string;
  log: Log;
}>;

/** Few enough that a save in between waits a moment only. */
const PAGE = 100;

/** Reads again, in the background, what an older version of the analyser read. Until then it is found by its old words. */
export function startReindexing({
  db,
  space,
  texts,
  hasMore,
  fileMore,
  holder,
  log,
}: ReindexOptions): Running {
  const queue = `recall.reindex.${space}`;
  const page = (): Promise<number> =>
    db.write(systemActor, async (tx) => {
      const old = await rows.oldItems(tx, space, PAGE);
      const known = await texts(
        tx,
        old.map((item) => item.no),
      );
      for (const item of old) {
        const text = known.get(item.no);
        if (text) await reanalyseItem(tx, { space, old: item }, text);
      }
      const gone = old.filter((item) => !known.has(item.no)).map((item) => item.no);
      if (gone.length > 0) await rows.keepReading(tx, gone);
      return old.length > 0 ? old.length : fileMore(tx, PAGE);
    });
  const worker = startWorker({
    db,
    queue,
    holder,
    log,
    async run(_job, signal) {
      let done = 0;
      for (let count = 1; count > 0 && !signal.aborted; done += count) count = await page();
      if (done > 0) log.info(`Read ${done} memories again.`, { space });
    },
  });
  const queued = db
    .read(async (q) => (await rows.countOld(q)) > 0 || (await hasMore(q)))
    .then((isNeeded) =>
      isNeeded ? db.write(systemActor, (tx) => enqueue(tx, { queue, key: 'old' })) : undefined,
    )
    .catch((error: unknown) => log.warn('Older memories could not be queued for reading again.', { error }));
  return {
    async stop() {
      await queued;
      await worker.stop();
    },
  };
}
