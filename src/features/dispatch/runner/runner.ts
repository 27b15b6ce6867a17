// `holdfast runner`: takes runs from a hub for as long as it lives. What it was doing when it died is told when it begins again.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { HubError } from '../../../kernel/errors.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { newId } from '../../../kernel/ids.ts';
import { readProcess, thisMachine } from '../../../kernel/process/table.ts';
import { createTree } from '../../../kernel/process/tree.ts';
import { VERSION } from '../../../kernel/version.ts';
import { listAgents } from '../agents/agents.ts';
import { attemptMark } from '../attempt/launch.ts';
import type { PlacedRun, RunnerOffer } from '../pool/wire.ts';
import { makeAttempt, type RunnerGround, tellEnd } from './attempt.ts';
import { HubAway } from './link.ts';
import { openSpool, readSpool } from './spool.ts';

type RunnerWish = Readonly<{ slots: number; labels: readonly string[] }>;

/** Told of what changes, for who looks at it. */
type RunnerNews = Readonly<{
  kind: 'ready' | 'away' | 'began' | 'ended';
  run?: string;
  attempt?: number;
}>;

type RunnerParts = RunnerGround & Readonly<{ wish: RunnerWish; tell(news: RunnerNews): void }>;

const WAIT_MS = 25_000;
const ORPHAN_PATIENCE_MS = 1_000;
const RETRY_MS = [200, 1_000, 2_000, 5_000];
/** What the hub has decided and will not decide otherwise by being asked again. */
const FINAL: ReadonlySet<string> = new Set(['unauthorized', 'forbidden', 'conflict', 'invalid']);

/** Resolves when it was told to leave and nothing of it is left; rejects when the hub will not have it. */
export async function runRunner(parts: RunnerParts, leaving: AbortSignal): Promise<void> {
  const { home, link, log, wish, tell } = parts;
  makeFolders(join(home, 'spool'));
  const release = lockFolder(home);
  const own = identityOf(home);
  const active = new Map<string, Promise<void>>();
  let freed = () => {};
  let isAway = true;

  const offer = (): RunnerOffer => ({
    process: own,
    machine: thisMachine(),
    system: platform(),
    version: VERSION,
    slots: wish.slots,
    agents: listAgents(parts.config, parts.env).flatMap(({ instance, family, lane, callable }) =>
      callable ? [{ instance, family, lane }] : [],
    ),
    labels: [...wish.labels],
    projects: Object.keys(parts.projects),
    has: [...active.keys()].map((key) => ({ run: key.split('/')[0]!, attempt: Number(key.split('/')[1]) })),
    wait_ms: WAIT_MS,
  });

  function begin(claim: PlacedRun): void {
    const { run, attempt } = claim;
    tell({ kind: 'began', run, attempt });
    const made = makeAttempt(parts, claim, leaving)
      .catch((error: unknown) => log.error('an attempt failed in the runner', { run, error }))
      .finally(() => {
        active.delete(`${run}/${attempt}`);
        tell({ kind: 'ended', run, attempt });
        freed();
      });
    active.set(`${run}/${attempt}`, made);
  }

  try {
    await Promise.all(leftBehind(home).map((file) => settle(parts, file)));
    for (let failures = 0; !leaving.aborted;) {
      if (active.size >= wish.slots) {
        await new Promise<void>((resolve) => {
          freed = resolve;
          leaving.addEventListener('abort', () => resolve(), { once: true });
        });
        continue;
      }
      try {
        const claim = await link.claim(offer(), leaving);
        if (isAway) tell({ kind: 'ready' });
        [isAway, failures] = [false, 0];
        // Given again although it is under way: the answer before this one did arrive.
        if (claim && !active.has(`${claim.run}/${claim.attempt}`)) begin(claim);
      } catch (error) {
        if (leaving.aborted) break;
        if (!(error instanceof HubAway) && error instanceof HubError && FINAL.has(error.code)) throw error;
        if (!isAway) tell({ kind: 'away' });
        isAway = true;
        await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)], undefined, { signal: leaving }).catch(
          () => undefined,
        );
        failures += 1;
      }
    }
  } finally {
    await Promise.all(active.values());
    release();
  }
}

function leftBehind(home: string): string[] {
  return readdirSync(join(home, 'spool')).map((name) => join(home, 'spool', name));
}

/** Of a runner that died: its processes go, what was said is sent, the attempt is over. */
async function settle({ link, home, log }: RunnerParts, file: string): Promise<void> {
  const left = await readSpool(file).catch(() => undefined);
  if (!left) return rmSync(file, { force: true });
  const { at, frames } = left;
  await createTree(attemptMark({ id: at.run, attempt: at.attempt })).end(ORPHAN_PATIENCE_MS);
  log.warn('an attempt of a runner that died is given back', { run: at.run, attempt: at.attempt });
  const again = await openSpool({ file, at, link, hold: () => undefined, refused: () => undefined });
  await again.resend(frames);
  await again.drained();
  await tellEnd(link, at, { state: 'lost', error: { class: 'crash', text: 'its runner died' } });
  await again.drop();
  rmSync(join(home, 'work', `${at.run}.${at.attempt}`), { recursive: true, force: true });
}

/** One process per folder. One that is gone holds nothing. */
function lockFolder(home: string): () => void {
  const file = join(home, 'lock');
  const mine = `${process.pid} ${readProcess(process.pid)?.born ?? ''}`;
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      return () => rmSync(file, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const [pid = '', born = ''] = readFileSync(file, 'utf8').split(' ');
      if (readProcess(Number(pid))?.born === born && born !== '')
        throw new HubError('conflict', `A runner of this name runs here already: process ${pid}.`);
      rmSync(file, { force: true });
    }
  }
}

function identityOf(home: string): string {
  const file = join(home, 'identity');
  try {
    writeFileSync(file, newId(), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
