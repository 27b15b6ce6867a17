import { HubError } from '../../kernel/errors.ts';
import { systemActor } from '../../kernel/principal.ts';
import { createTurns } from '../../kernel/turns.ts';
import { effectiveScore } from './credit.ts';
import { composeOverview } from './memory-overview.ts';
import type { BrainParts } from './parts.ts';
import { dropTurnsBefore } from './rows/turns.ts';
import { vaultById } from './rows/vaults.ts';

/** What the owner of a vault does from time to time: MEMORY.md, turns nobody will judge any more, compaction on schedule. */
export interface Upkeep {
  /** Writes MEMORY.md when it would say something else. Nothing depends on it, so a disk that refuses is only told. */
  writeOverview(): Promise<void>;
  close(): Promise<void>;
}

export type UpkeepOptions = Readonly<{ compactEveryMs: number; compact(): Promise<unknown> }>;

const OVERVIEW = 'MEMORY.md';
const TICK_MS = 60_000;
const KEEP_TURNS_MS = 90 * 86_400_000;

export function startUpkeep(parts: BrainParts, { compactEveryMs, compact }: UpkeepOptions): Upkeep {
  const { db, vault, catalogue, log } = parts;
  let lastTried = -Infinity;
  const turns = createTurns();
  const tickMs = compactEveryMs > 0 ? Math.min(TICK_MS, compactEveryMs) : TICK_MS;
  const timer = setInterval(() => void turns.take(tick), tickMs).unref();

  async function tick(): Promise<void> {
    if (!vault.isOwner || vault.closing.aborted) return;
    try {
      if (await isDue()) {
        lastTried = db.elapsed();
        await compact();
      }
      await writeOverview();
      await db.write(systemActor, (tx) => dropTurnsBefore(tx, vault.id, tx.now - KEEP_TURNS_MS));
    } catch (error) {
      if (!vault.closing.aborted)
        log.warn('The upkeep of the vault failed; the next one tries again.', { error });
    }
  }

  /** Counted from the last compaction of whatever origin; one that failed waits as long as one that worked. */
  async function isDue(): Promise<boolean> {
    if (compactEveryMs <= 0) return false;
    const last = (await db.read((q) => vaultById(q, vault.id)))?.lastConsolidation ?? 0;
    // A compaction that lies ahead was before the clock went back: it says nothing of when the next one is due.
    const since = db.now() - last;
    return (since < 0 || since >= compactEveryMs) && db.elapsed() - lastTried >= compactEveryMs;
  }

  /** All scores fade alike, so what the overview says changes only with the vault, the strategy, or a hand on the file. */
  let written = '';
  async function writeOverview(): Promise<void> {
    const policy = await vault.policy();
    const { items, credits, version } = await catalogue.fresh();
    const state = () => JSON.stringify([version, policy, vault.files.stamp(OVERVIEW)]);
    if (state() === written) return;
    const scored = [...items.values()].flatMap(({ memory }) => {
      const credit = credits.get(memory.id);
      return credit ? [{ memory, score: effectiveScore(credit, db.now(), policy) }] : [];
    });
    const text = composeOverview(scored, policy.max_context_budget);
    try {
      if ((await vault.files.read(OVERVIEW))?.text !== text) await vault.files.replace(OVERVIEW, text);
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      log.warn('MEMORY.md could not be written; the one that is there stays.', { reason: error.message });
    }
    written = state();
  }

  return {
    writeOverview,
    async close() {
      clearInterval(timer);
      await turns.settled();
    },
  };
}
