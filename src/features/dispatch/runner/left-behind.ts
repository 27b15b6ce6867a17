// What a runner was doing when it died, or left while its hub was away, is told when it begins again.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTree } from '../../../kernel/process/tree.ts';
import { attemptMark } from '../attempt/launch.ts';
import type { WireEnd } from '../pool/wire.ts';
import type { RunnerGround } from './attempt.ts';
import { treeOf } from './checkout.ts';
import { tellEnd } from './ends.ts';
import { untilReached } from './reach.ts';
import { openSpool, readSpool, type SpooledAttempt } from './spool.ts';

const ORPHAN_PATIENCE_MS = 1_000;
const DIED = { state: 'lost', error: { class: 'crash', text: 'its runner died' } } as const;

/** Its processes go, its work is pushed, what was said is sent, the attempt is over. Nothing is lost where there is no time for it. */
export async function settle(ground: RunnerGround, file: string, leaving: AbortSignal): Promise<void> {
  const { link, home, log } = ground;
  const left = await readSpool(file).catch(() => undefined);
  if (!left) return rmSync(file, { force: true });
  const { at, frames } = left;
  await createTree(attemptMark({ id: at.run, attempt: at.attempt })).end(ORPHAN_PATIENCE_MS);
  log.warn('an attempt of a runner that died is given back', { run: at.run, attempt: at.attempt });
  const isSaved = await saveWork(ground, at, leaving);
  const end: Omit<WireEnd, 'fence'> = (isSaved && left.end) || DIED;
  const again = await openSpool({ file, at, link, hold: () => undefined, refused: () => undefined });
  await again.resend(frames);
  if (!(await again.drained(leaving)) || !(await tellEnd(link, { at, end }, leaving))) return;
  await again.drop();
  rmSync(join(home, 'work', at.run), { recursive: true, force: true });
}

async function saveWork(
  { env, link, home, log }: RunnerGround,
  at: SpooledAttempt,
  signal: AbortSignal,
): Promise<boolean> {
  const work = join(home, 'work', at.run, 'work');
  if (!at.git || !existsSync(work)) return true;
  try {
    const tree = treeOf({ env, link, git: at.git, caches: join(home, 'git'), work });
    await untilReached({ link, at, signal }, () => tree.save({ rest: at.agent }));
    return true;
  } catch (error) {
    log.warn('the work of a run was not pushed', { run: at.run, error });
    return false;
  }
}
