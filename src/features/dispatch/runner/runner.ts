// `holdfast runner`: takes runs from a hub for as long as it lives. Most of that time it waits, so what an attempt needs is
// loaded with the first one.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { elapsed } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { readProcess, thisMachine } from '../../../kernel/process/table.ts';
import { VERSION } from '../../../kernel/version.ts';
import { listAgents } from '../agents/agents.ts';
import type { PlacedRun, RunnerOffer } from '../pool/wire.ts';
import type { RunnerGround } from './attempt.ts';
import { HubAway, restAfter } from './link.ts';

type RunnerWish = Readonly<{ slots: number; labels: readonly string[] }>;

/** Told of what changes, for who looks at it. */
type RunnerNews = Readonly<{
  kind: 'ready' | 'away' | 'began' | 'ended';
  run?: string;
  attempt?: number;
}>;

type RunnerParts = RunnerGround & Readonly<{ wish: RunnerWish; tell(news: RunnerNews): void }>;

const TIDY_MS = 24 * 3_600_000;
/** As long as a hub waits at most. */
const WAIT_MS = 30_000;
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

  async function make(claim: PlacedRun, before: readonly Promise<void>[]): Promise<void> {
    await Promise.all(before);
    const [{ makeAttempt }, { tellFailure }] = await Promise.all([
      import('./attempt.ts'),
      import('./ends.ts'),
    ]);
    try {
      await makeAttempt(parts, claim, leaving);
    } catch (error) {
      log.error('an attempt failed in the runner', { run: claim.run, error });
      // Unsaid it would be given again and again.
      await tellFailure(link, claim, error);
    }
  }

  function begin(claim: PlacedRun): void {
    const { run, attempt } = claim;
    tell({ kind: 'began', run, attempt });
    // They have one folder: what is left of the attempt before this one goes first.
    const before = [...active].flatMap(([key, each]) => (key.startsWith(`${run}/`) ? [each] : []));
    const made = make(claim, before)
      .catch((error: unknown) => log.error('an attempt could not be made', { run, error }))
      .finally(() => {
        active.delete(`${run}/${attempt}`);
        tell({ kind: 'ended', run, attempt });
        freed();
      });
    active.set(`${run}/${attempt}`, made);
  }

  try {
    const left = leftBehind(home);
    if (left.length > 0) {
      const { settle } = await import('./left-behind.ts');
      await Promise.all(left.map((file) => settle(parts, file, leaving)));
    }
    let tidied = Number.NEGATIVE_INFINITY;
    for (let failures = 0; !leaving.aborted;) {
      if (active.size === 0 && elapsed() - tidied > TIDY_MS) {
        tidied = elapsed();
        await tidy(home, log);
      }
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
        await restAfter(failures, leaving);
        failures += 1;
      }
    }
  } finally {
    await Promise.all(active.values());
    release();
  }
}

/** Most runners that begin have nothing to tidy. */
async function tidy(home: string, log: Log): Promise<void> {
  if (['git', 'work'].some((name) => existsSync(join(home, name))))
    await (await import('./tidy.ts')).tidyHome(home, log);
}

function leftBehind(home: string): string[] {
  return readdirSync(join(home, 'spool')).map((name) => join(home, 'spool', name));
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
