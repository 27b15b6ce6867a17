// The brain on an open vault: what one can do with the markdown memory. Files and database change together through the
// vault's journal, so each of these opens transactions of its own.
import type { Event } from '../../kernel/event.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { actorFor } from '../../store/calls.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { archive, restore, type Wanted } from './archive.ts';
import { createCatalogue } from './catalogue.ts';
import { compact, type CompactOptions, undo } from './compaction/run.ts';
import type { Summarise } from './compaction/summaries.ts';
import { type Signal, effectiveScore } from './credit.ts';
import { applyOutcome } from './apply-outcome.ts';
import { type HeldBy, type EventOutcome, outcomeOf } from './outcomes.ts';
import { type BrainParts, sessionOf } from './parts.ts';
import { look, type MemoryQuery, retrieve, search, show } from './find-memories.ts';
import { adopt, type NewVaultMemory, store, update } from './write-memories.ts';
import { eventsOf } from './rows/credits.ts';
import { listLog } from './rows/runs.ts';
import { hasTurnSince, sessionsSince } from './rows/turns.ts';
import { startUpkeep } from './upkeep.ts';
import { openVault, type VaultOptions } from './vault/vault.ts';
import { isPrunable } from './compaction/prune.ts';
import { type Report, round4, toIso } from './memory.ts';
import { listProblems } from './rows/memories.ts';
import { digestOfSeat } from '../../kernel/seat.ts';

export type BrainOptions = Readonly<{
  db: Database;
  folder: string;
  log?: Log;
  summarise?: Summarise | undefined;
  /** 0 or nothing: only on demand. */
  compactEveryMs?: number;
}> &
  Pick<VaultOptions, 'isWatched' | 'leaseMs' | 'checkpoint'>;

export type OpenBrain = Awaited<ReturnType<typeof openBrain>>;

type FeedbackRequest = Readonly<{
  signal: Signal;
  ids?: readonly string[] | undefined;
  key?: string | undefined;
  /** Whose turn is judged; the caller's own unless given. */
  session?: string | undefined;
}>;

/** Its owner has compared the folder with the index by then; others trust the owner's. */
export async function openBrain(options: BrainOptions) {
  const { db, folder, log = silentLog, summarise, compactEveryMs = 0, ...rest } = options;
  const vault = await openVault({ db, folder, log, ...rest });
  try {
    if (vault.isOwner) await vault.reconcile();
  } catch (error) {
    await vault.close();
    throw error;
  }
  const parts: BrainParts = { db, vault, catalogue: createCatalogue(db, vault.id), log };
  const compactAll = async (given: CompactOptions = {}) => {
    const answer = await compact(parts, { summarise, ...given });
    if (!given.isDryRun) await upkeep.writeOverview();
    return answer;
  };
  const upkeep = startUpkeep(parts, { compactEveryMs, compact: () => compactAll() });

  return {
    store: (who: Principal, memory: NewVaultMemory) => store(parts, who, memory),
    /** Counts as a retrieval; `show` is the same for a person and counts nothing. */
    retrieve: (who: Principal, id: string) => retrieve(parts, who, id),
    show: (id: string) => show(parts, id),
    /** What it answers is noted as this session's turn; `look` notes nothing. */
    search: (who: Principal, request: MemoryQuery) => search(parts, who, request),
    look: (request: MemoryQuery) => look(parts, request),
    update: (who: Principal, id: string, content: string) => update(parts, who, { id, content }),
    /** Takes a whole file as it is, frontmatter included, under its own path. */
    adopt: (who: Principal, path: string, text: string) => adopt(parts, who, { path, text }),
    archive: (who: Principal, id: string) => archive(parts, who, id),
    restore: (who: Principal, wanted: Wanted) => restore(parts, who, wanted),
    async feedback(who: Principal, { signal, ids, key, session = sessionOf(who) }: FeedbackRequest) {
      const policy = await vault.policy();
      return db.write(actorFor(who), (tx) =>
        applyOutcome(tx, { vault: vault.id, signal, ids, key, session }, policy),
      );
    },
    /** The session that remembered something last, whoever it was. */
    async latestSession() {
      const since = db.now() - RECENT_MS;
      const [latest] = await db.read((q) => sessionsSince(q, vault.id, { since }));
      return latest;
    },
    mayLearn: (q: Query) => hasTurnSince(q, vault.id, db.now() - RECENT_MS),
    learn: (tx: Tx, event: Event, heldBy: HeldBy) => learn(tx, { vault, heldBy }, event),
    report: (topN: number) => report(parts, topN),
    history: (id: string, limit: number) => db.read((q) => eventsOf(q, vault.id, { id, limit })),
    log: (limit: number) => db.read((q) => listLog(q, vault.id, limit)),
    compact: compactAll,
    async undo() {
      const answer = await undo(parts);
      await upkeep.writeOverview();
      return answer;
    },
    wake: async () => void (await vault.reconcile()),
    async close() {
      const closed = vault.close();
      await upkeep.close();
      await closed;
    },
  };
}

/** How the memories stand, by what they are worth now. */
async function report({ db, vault, catalogue }: BrainParts, topN: number): Promise<Report> {
  const policy = await vault.policy();
  const { items, credits, lastConsolidation, lastPruning } = await catalogue.fresh();
  const problems = await db.read((q) => listProblems(q, vault.id));
  const now = db.now();
  const scored = [...items.values()].flatMap(({ memory }) => {
    const credit = credits.get(memory.id);
    return credit ? [{ memory, credit, score: round4(effectiveScore(credit, now, policy)) }] : [];
  });
  scored.sort((a, b) => b.score - a.score || (a.memory.id < b.memory.id ? -1 : 1));
  const rows = scored.map(({ memory, credit, score }) => ({
    id: memory.id,
    name: memory.name,
    score,
    access_count: credit.accessCount,
  }));
  const distribution = Array.from({ length: 10 }, () => 0);
  for (const { score } of scored) distribution[Math.min(9, Math.floor(score * 10))]! += 1;
  return {
    total_memories: scored.length,
    avg_score: round4(scored.reduce((sum, { score }) => sum + score, 0) / Math.max(1, scored.length)),
    top: rows.slice(0, topN),
    bottom: rows.toReversed().slice(0, topN),
    prune_candidates: scored.filter((one) => isPrunable(one, now, policy)).length,
    last_consolidation: lastConsolidation === null ? null : toIso(lastConsolidation),
    last_pruning: lastPruning === null ? null : toIso(lastPruning),
    distribution,
    problems: problems.map(({ path, reason }) => ({ path, reason })),
  };
}

/** Sessions that have been silent for longer had no part in it. */
const RECENT_MS = 86_400_000;

type Learner = Pick<BrainParts, 'vault'> & Readonly<{ heldBy: HeldBy }>;

/** What other rooms tell is an outcome for the sessions of the agent it is about, and for the session it came through. */
async function learn(tx: Tx, { vault, heldBy }: Learner, event: Event): Promise<void> {
  const outcome = outcomeOf(event);
  if (!outcome) return;
  for (const session of await sessionsOf(tx, { vault, heldBy }, outcome)) {
    const key = outcome.key === undefined ? undefined : `${outcome.key}:${session}`;
    await applyOutcome(tx, { vault: vault.id, signal: outcome.signal, session, key }, vault.lastPolicy());
  }
}

async function sessionsOf(
  tx: Tx,
  { vault, heldBy }: Learner,
  { agent, seat, taskId }: EventOutcome,
): Promise<Set<string>> {
  const since = tx.now - RECENT_MS;
  const sessions = new Set(agent === undefined ? [] : await sessionsSince(tx, vault.id, { since, agent }));
  if (seat === undefined && taskId === undefined) return sessions;
  for (const session of await sessionsSince(tx, vault.id, { since })) {
    if (sessions.has(session)) continue;
    if (seat === digestOfSeat(session) || (taskId !== undefined && (await heldBy(tx, session, taskId))))
      sessions.add(session);
  }
  return sessions;
}
