import type { Event } from '../../kernel/event.ts';
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { CompactOptions } from './compaction/run.ts';
import type { Summarise } from './compaction/summaries.ts';
import type { Signal } from './credit.ts';
import type { Compacted, Contradiction, Feedback, Found, Report, Retrieved } from './memory.ts';
import type { HeldBy } from './outcomes.ts';
import type { MemoryQuery } from './recalling.ts';
import type { NewVaultMemory } from './remembering.ts';
import type { PastEvent } from './rows/credits.ts';
import type { LoggedRow } from './rows/runs.ts';
import type { VaultOptions } from './vault/vault.ts';

/**
 * What one can do with the markdown memory. Files and database change together through the vault's journal, so the
 * methods open their own transactions.
 */
export interface Brain {
  store(
    who: Principal,
    memory: NewVaultMemory,
  ): Promise<Readonly<{ id: string; path: string; created: true }>>;
  /** Counts as a retrieval; `show` is the same for a person and counts nothing. */
  retrieve(who: Principal, id: string): Promise<Retrieved>;
  show(id: string): Promise<Retrieved>;
  /** What it answers is noted as this session's turn; `look` notes nothing. */
  search(who: Principal, request: MemoryQuery): Promise<Found>;
  look(request: MemoryQuery): Promise<Found>;
  update(
    who: Principal,
    id: string,
    content: string,
  ): Promise<Readonly<{ previous: number; contradictions: readonly Contradiction[] }>>;
  /** Takes a whole file as it is, frontmatter included, under its own path. */
  adopt(who: Principal, path: string, text: string): Promise<Readonly<{ id: string; path: string }>>;
  archive(who: Principal, id: string): Promise<string>;
  restore(
    who: Principal,
    wanted: Readonly<{ id: string } | { archivePath: string }>,
  ): Promise<Readonly<{ id: string; path: string }>>;
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
  close(): Promise<void>;
}

type FeedbackRequest = Readonly<{
  signal: Signal;
  ids?: readonly string[] | undefined;
  key?: string | undefined;
  /** Whose turn is judged; the caller's own unless given. */
  session?: string | undefined;
}>;

export type BrainOptions = Readonly<{
  db: Database;
  folder: string;
  log?: Log;
  summarise?: Summarise | undefined;
  /** 0 or nothing: only on demand. */
  compactEveryMs?: number;
}> &
  Pick<VaultOptions, 'isWatched' | 'leaseMs' | 'checkpoint'>;
