// What checks leave on the disk is bounded: set-ups and trees that nobody uses any more go, and evidence that the audit has forgotten.
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { systemActor } from '../../../kernel/principal.ts';
import { hubCaller } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import type { Broker } from '../../broker/broker.ts';
import { dropEvidenceBefore } from '../rows.ts';
import { usedAt } from './setups.ts';

const DAY = 86_400_000;
/** Of one project; a set-up may be hundreds of megabytes. */
const MOST_SETUPS = 8;
const SETUP_UNUSED_MS = 14 * DAY;
const TREE_UNUSED_MS = 30 * DAY;

/** `folder` is where trees and set-ups are kept. */
export async function tidyChecks(folder: string, now: number): Promise<void> {
  const stores = join(folder, 'setups');
  for (const project of await namesIn(stores)) await tidySetups(join(stores, project), now);
  for (const project of await namesIn(folder)) {
    if (project === 'setups') continue;
    const used = await changedAt(join(folder, project, 'own', 'HEAD'));
    if (used !== undefined && now - used > TREE_UNUSED_MS) await drop(join(folder, project));
  }
}

/** The newest stay; one that was begun and left is nobody's after a day. */
async function tidySetups(project: string, now: number): Promise<void> {
  const found: Readonly<{ path: string; used: number }>[] = [];
  for (const name of await namesIn(project)) {
    const path = join(project, name);
    const used = await usedAt(path);
    if (used !== undefined) found.push({ path, used });
    else if (now - ((await changedAt(path)) ?? now) > DAY) await drop(path);
  }
  const byUse = found.toSorted((a, b) => b.used - a.used);
  for (const [place, { path, used }] of byUse.entries())
    if (place >= MOST_SETUPS || now - used > SETUP_UNUSED_MS) await drop(path);
}

/** Once the audit has dropped its word, nothing can be said of a piece of evidence any more. */
export async function tidyEvidence(db: Database, broker: Broker): Promise<void> {
  const { since } = await db.read((q) => broker.at(q, hubCaller).attested('check:'));
  if (since > 0) await db.write(systemActor, (tx) => dropEvidenceBefore(tx, since));
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const changedAt = (path: string): Promise<number | undefined> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );

const drop = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
