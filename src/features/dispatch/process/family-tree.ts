import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from '../../../kernel/processes.ts';
import { descendantsOf, hasInEnvironment, type Process, readProcesses } from './table.ts';

/** In the environment of everything a run starts: what leaves the group, and outlives its parent, is known by it. */
export const MARK = 'HOLDFAST_RUN_ID';

const LOOK_MS = 40;
const MOST_ROUNDS = 50;
const YOUNG_MS = 2_000;

/**
 * Everything that one run started. Invariant: after `end` none of it lives (proved by "process trees" in
 * test/contract/dispatch-processes.test.ts). Whoever was seen once is remembered with the time of its birth, so that a process
 * that later loses its parent and hides its environment is still ended, and a stranger that got its number is not.
 */
export interface FamilyTree {
  /** Remembers who is there now. */
  look(): void;
  signal(signal: NodeJS.Signals): void;
  /** TERM, patience, KILL; resolves when nobody is left. */
  end(patienceMs: number): Promise<void>;
}

export function createFamilyTree(run: string, leader: Process | undefined): FamilyTree {
  const known = new Map<number, Process>();
  if (leader) known.set(leader.pid, leader);
  const entry = `\0${MARK}=${run}`;

  const since = performance.now();

  function living(): Process[] {
    // Numbers do not come round within seconds: what is younger than the leader has a higher one, unless it was seen to wrap.
    const isYoung = leader !== undefined && performance.now() - since < YOUNG_MS;
    const processes = readProcesses(isYoung ? leader.pid : 0);
    const born = Number(leader?.born ?? 0);
    for (const each of known.values()) {
      if (isStill(each, processes))
        for (const child of descendantsOf(each.pid, processes)) known.set(child.pid, child);
      else known.delete(each.pid);
    }
    for (const each of processes) {
      const isYounger = Number(each.born) >= born && !known.has(each.pid) && each.pid !== process.pid;
      if (isYounger && (each.group === leader?.pid || hasInEnvironment(each.pid, entry)))
        known.set(each.pid, each);
    }
    return [...known.values()];
  }

  function signal(name: NodeJS.Signals): void {
    const all = living();
    if (all.length === 0 && leader) sendSignal(-leader.pid, name);
    for (const { pid } of all) sendSignal(pid, name);
  }

  async function untilGone(ms: number): Promise<boolean> {
    for (const until = performance.now() + ms; performance.now() < until; await sleep(LOOK_MS))
      if (living().length === 0) return true;
    return living().length === 0;
  }

  return {
    look: () => void living(),
    signal,
    async end(patienceMs) {
      if (living().length === 0) return;
      if (patienceMs > 0) {
        signal('SIGTERM');
        if (await untilGone(patienceMs)) return;
      }
      // A process may start another between the look and the blow, so there is another round until a look finds nobody.
      for (let round = 0; round < MOST_ROUNDS && living().length > 0; round += 1) {
        signal('SIGKILL');
        await sleep(LOOK_MS);
      }
    },
  };
}

function isStill({ pid, born }: Process, processes: readonly Process[]): boolean {
  return processes.find((each) => each.pid === pid)?.born === born;
}

/** The family of a run whose hub is gone: only the mark tells. */
export function orphansOf(run: string): FamilyTree {
  return createFamilyTree(run, undefined);
}
