import { setTimeout as sleep } from 'node:timers/promises';
import { sendSignal } from './signal.ts';
import { hasMark, type ProcessMark } from './mark.ts';
import { descendantsOf, hasTable, type Process, readProcesses } from './table.ts';

const LOOK_MS = 40;
const MOST_ROUNDS = 50;
const YOUNG_MS = 2_000;

/**
 * Everything that one start started. Invariant: after `end` none of it lives (proved by "process trees" in
 * test/contract/dispatch-processes.test.ts). Whoever was seen once is remembered with the time of its birth,
 * so that a process that later loses its parent and hides its environment is still ended, and a stranger that
 * got its number is not.
 */
export interface ProcessTree {
  /** Remembers who is there now. */
  look(): void;
  signal(signal: NodeJS.Signals): void;
  /** TERM, patience, KILL; resolves when nobody is left. */
  end(patienceMs: number): Promise<void>;
}

/** Without a leader, whose hub is gone, only the mark tells. */
export function createTree(mark: ProcessMark, leader?: Process): ProcessTree {
  const known = new Map<number, Process>();
  if (leader) known.set(leader.pid, leader);
  const since = performance.now();
  const canSee = hasTable();

  function living(): Process[] {
    // Who cannot be seen is known by its group alone.
    if (!canSee) return leader && isGroupThere(leader.pid) ? [leader] : [];
    // Numbers do not come round within seconds: what is younger than the leader has a higher one, unless it
    // was seen to wrap.
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
      if (isYounger && (each.group === leader?.pid || hasMark(each.pid, mark))) known.set(each.pid, each);
    }
    return [...known.values()];
  }

  function signal(name: NodeJS.Signals): void {
    for (const { pid } of living()) sendSignal(canSee ? pid : -pid, name);
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
      // A process may start another between the look and the blow, so there is another round until a look
      // finds nobody.
      for (let round = 0; round < MOST_ROUNDS && living().length > 0; round += 1) {
        signal('SIGKILL');
        await sleep(LOOK_MS);
      }
    },
  };
}

function isGroupThere(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

function isStill({ pid, born }: Process, processes: readonly Process[]): boolean {
  return processes.find((each) => each.pid === pid)?.born === born;
}
