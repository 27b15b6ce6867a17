import { silentLog } from '../../kernel/log.ts';
import { archive, restore } from './archiving.ts';
import type { Brain, BrainOptions } from './brain.ts';
import { createCatalogue } from './catalogue.ts';
import { compact, undo } from './compaction/run.ts';
import { applyOutcome } from './crediting.ts';
import { learn, RECENT_MS } from './learning.ts';
import { actorFor } from '../../store/acting.ts';
import { type BrainParts, sessionOf } from './parts.ts';
import { look, retrieve, search, show } from './recalling.ts';
import { adopt, store, update } from './remembering.ts';
import { report } from './reporting.ts';
import { eventsOf } from './rows/credits.ts';
import { listLog } from './rows/runs.ts';
import { sessionsSince } from './rows/turns.ts';
import { startUpkeep } from './upkeep.ts';
import { openVault } from './vault/vault.ts';

/** The brain on an open vault. Its owner has compared the folder with the index by then; others trust the owner's. */
export async function openBrain({
  db,
  folder,
  log = silentLog,
  summarise,
  compactEveryMs = 0,
  ...options
}: BrainOptions): Promise<Brain> {
  const vault = await openVault({ db, folder, log, ...options });
  try {
    if (vault.isOwner) await vault.reconcile();
  } catch (error) {
    await vault.close();
    throw error;
  }
  const parts: BrainParts = { db, vault, catalogue: createCatalogue(db, vault.id), log };
  const compactAll: Brain['compact'] = async (given = {}) => {
    const answer = await compact(parts, { summarise, ...given });
    if (!given.isDryRun) await upkeep.writeOverview();
    return answer;
  };
  const upkeep = startUpkeep(parts, { compactEveryMs, compact: () => compactAll() });

  return {
    store: (who, memory) => store(parts, who, memory),
    retrieve: (who, id) => retrieve(parts, who, id),
    show: (id) => show(parts, id),
    search: (who, request) => search(parts, who, request),
    look: (request) => look(parts, request),
    update: (who, id, content) => update(parts, who, { id, content }),
    adopt: (who, path, text) => adopt(parts, who, { path, text }),
    archive: (who, id) => archive(parts, who, id),
    restore: (who, wanted) => restore(parts, who, wanted),
    async feedback(who, { signal, ids, key, session = sessionOf(who) }) {
      const policy = await vault.policy();
      return db.write(actorFor(who), (tx) =>
        applyOutcome(tx, { vault: vault.id, signal, ids, key, session }, policy),
      );
    },
    async latestSession() {
      const [latest] = await db.read((q) => sessionsSince(q, vault.id, db.now() - RECENT_MS));
      return latest;
    },
    learn: (tx, event, heldBy) => learn(parts, tx, event, heldBy),
    report: (topN) => report(parts, topN),
    history: (id, limit) => db.read((q) => eventsOf(q, vault.id, id, limit)),
    log: (limit) => db.read((q) => listLog(q, vault.id, limit)),
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
