import { HubError } from '../../kernel/errors.ts';
import type { Event } from '../../kernel/event.ts';
import { silentLog, type Log } from '../../kernel/log.ts';
import { type Principal, systemActor } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../store/database.ts';
import { createCatalogue } from './catalogue.ts';
import { compact, type CompactOptions, undo } from './compaction/run.ts';
import type { Summarise } from './compaction/summaries.ts';
import { effectiveScore, type Signal } from './credit.ts';
import { applyOutcome } from './crediting.ts';
import { composeDigest } from './digest.ts';
import type { Compacted, Contradiction, Feedback, Found, Report, Retrieved } from './memory.ts';
import { outcomeOf, type HeldBy } from './outcomes.ts';
import { actorOf, type Parts, sessionOf } from './parts.ts';
import { look, retrieve, search, type SearchRequest, show } from './recalling.ts';
import { adopt, archive, type NewMemory, restore, store, update } from './remembering.ts';
import { report } from './reporting.ts';
import { eventsOf, type PastEvent } from './rows/credits.ts';
import { listLog, type LoggedRow } from './rows/runs.ts';
import { dropTurnsBefore, sessionsSince } from './rows/turns.ts';
import { openVault, type Vault, type VaultOptions } from './vault/vault.ts';

/**
 * What one can do with the markdown memory. Files and database change together through the vault's journal, so the
 * methods open their own transactions; the vault is opened by the first one that needs it.
 */
export interface Brain {
  store(who: Principal, memory: NewMemory): Promise<Readonly<{ id: string; path: string; created: true }>>;
  /** Counts as a retrieval; `show` is the same for a person and counts nothing. */
  retrieve(who: Principal, id: string): Promise<Retrieved>;
  show(id: string): Promise<Retrieved>;
  /** What it answers is noted as this session's turn; `look` notes nothing. */
  search(who: Principal, request: SearchRequest): Promise<Found>;
  look(request: SearchRequest): Promise<Found>;
  update(who: Principal, id: string, content: string): Promise<Readonly<{ previous: number; contradictions: readonly Contradiction[] }>>;
  /** Takes a whole file as it is, frontmatter included, under its own path. */
  adopt(who: Principal, path: string, text: string): Promise<Readonly<{ id: string; path: string }>>;
  archive(who: Principal, id: string): Promise<string>;
  restore(who: Principal, wanted: Readonly<{ id: string } | { archivePath: string }>): Promise<Readonly<{ id: string; path: string }>>;
  feedback(who: Principal, request: FeedbackRequest): Promise<Feedback>;
  /** The session that remembered something last, whoever it was. */
  latestSession(): Promise<string | undefined>;
  /** An event of another room may be an outcome. Runs in the transaction of a durable consumer. */
  learn(tx: Tx, event: Event, heldBy: HeldBy): Promise<void>;
  report(topN: number): Promise<Report>;
  history(id: string, limit: number): Promise<PastEvent[]>;
  log(limit: number): Promise<LoggedRow[]>;
  compact(options?: CompactOptions): Promise<Compacted>;
  undo(): Promise<Readonly<{ undone: number; details: readonly string[] }>>;
  /** Finishes what a crash left and takes over what was changed by hand. */
  wake(): Promise<void>;
  /** Writes MEMORY.md when it would say something else, and drops turns nobody will judge any more. */
  tidy(): Promise<void>;
  close(): Promise<void>;
}

export type FeedbackRequest = Readonly<{
  signal: Signal;
  ids?: readonly string[] | undefined;
  key?: string | undefined;
  /** Whose turn is judged; the caller's own unless given. */
  session?: string | undefined;
}>;

export type BrainOptions = Readonly<{ db: Database; folder: string; log?: Log; summarise?: Summarise | undefined }> &
  Pick<VaultOptions, 'isWatched' | 'leaseMs' | 'checkpoint'>;

const KEEP_TURNS_MS = 90 * 86_400_000;
/** Sessions that have been silent for longer had no part in it. */
const RECENT_MS = 86_400_000;

export function createBrain({ db, folder, log = silentLog, summarise, ...vaultOptions }: BrainOptions): Brain {
  let opened: Promise<Parts> | undefined;
  let vault: Vault | undefined;
  let isClosed = false;

  /** Opened once; a vault that could not be opened is tried again by the next call. */
  function ready(): Promise<Parts> {
    if (isClosed) return Promise.reject(new HubError('unavailable', 'The brain is shut down.'));
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  }

  async function open(): Promise<Parts> {
    vault = await openVault({ db, folder, log, ...vaultOptions });
    await vault.reconcile();
    return { db, vault, catalogue: createCatalogue(db, vault.id), log };
  }

  async function writeDigest({ vault, catalogue }: Parts): Promise<void> {
    const policy = await vault.policy();
    const { items, credits } = await catalogue.fresh();
    const scored = [...items.values()].flatMap(({ memory }) => {
      const credit = credits.get(memory.id);
      return credit ? [{ memory, score: effectiveScore(credit, db.now(), policy) }] : [];
    });
    const text = composeDigest(scored, policy.max_context_budget);
    if ((await vault.files.read('MEMORY.md'))?.text !== text) await vault.files.replace('MEMORY.md', text);
  }

  return {
    store: async (who, memory) => store(await ready(), who, memory),
    retrieve: async (who, id) => retrieve(await ready(), who, id),
    show: async (id) => show(await ready(), id),
    search: async (who, request) => search(await ready(), who, request),
    look: async (request) => look(await ready(), request),
    update: async (who, id, content) => update(await ready(), who, id, content),
    adopt: async (who, path, text) => adopt(await ready(), who, path, text),
    archive: async (who, id) => archive(await ready(), who, id),
    restore: async (who, wanted) => restore(await ready(), who, wanted),
    async feedback(who, { signal, ids, key, session }) {
      const { vault } = await ready();
      const policy = await vault.policy();
      return db.write(actorOf(who), (tx) =>
        applyOutcome(tx, { vault: vault.id, signal, ids, key, session: session ?? sessionOf(who) }, policy),
      );
    },
    async latestSession() {
      const parts = await ready();
      const [latest] = await db.read((q) => sessionsSince(q, parts.vault.id, db.now() - RECENT_MS));
      return latest;
    },
    async learn(tx, event, heldBy) {
      const outcome = outcomeOf(event);
      if (!outcome || !opened) return;
      // A unit may not wait for the vault to open; the consumer comes again.
      if (!vault) throw new HubError('unavailable', 'The vault is being opened.');
      const since = tx.now - RECENT_MS;
      const sessions = new Set(outcome.agent === undefined ? [] : await sessionsSince(tx, vault.id, since, outcome.agent));
      if (outcome.taskId !== undefined) {
        for (const session of await sessionsSince(tx, vault.id, since)) {
          if (!sessions.has(session) && (await heldBy(tx, session, outcome.taskId))) sessions.add(session);
        }
      }
      for (const session of sessions) {
        const key = outcome.key === undefined ? undefined : `${outcome.key}:${session}`;
        await applyOutcome(tx, { vault: vault.id, signal: outcome.signal, session, key }, vault.lastPolicy());
      }
    },
    report: async (topN) => report(await ready(), topN),
    async history(id, limit) {
      const { vault } = await ready();
      return db.read((q) => eventsOf(q, vault.id, id, limit));
    },
    async log(limit) {
      const { vault } = await ready();
      return db.read((q) => listLog(q, vault.id, limit));
    },
    async compact(options = {}) {
      const parts = await ready();
      const answer = await compact(parts, { summarise, ...options });
      if (!options.isDryRun) await writeDigest(parts);
      return answer;
    },
    async undo() {
      const parts = await ready();
      const answer = await undo(parts);
      await writeDigest(parts);
      return answer;
    },
    async wake() {
      const isOpen = opened !== undefined;
      const parts = await ready();
      // Opening has just looked.
      if (isOpen) await parts.vault.reconcile();
    },
    async tidy() {
      const parts = await ready();
      await writeDigest(parts);
      await db.write(systemActor, (tx) => dropTurnsBefore(tx, parts.vault.id, tx.now - KEEP_TURNS_MS));
    },
    async close() {
      isClosed = true;
      await opened?.catch(() => undefined);
      await vault?.close();
    },
  };
}
