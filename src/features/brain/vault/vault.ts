import type { Log } from '../../../kernel/log.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { Database } from '../../../store/database.ts';
import { listIntents, vaultById } from '../rows/vaults.ts';
import { openFiles, type VaultFiles } from './files.ts';
import { identify, presenceOf } from './identity.ts';
import type { VaultIdentity } from './index-documents.ts';
import { createJournal, type Journal } from './journal.ts';
import { createLease, type Hold } from './lease.ts';
import { findDifferences, isChanged, reconcile } from './reconcile.ts';
import { claimOwnership } from './ownership.ts';
import { followStrategy, type StrategyFile } from './strategy-file.ts';
import { type Touched, type FolderWatch, watchVault } from './watch.ts';

/** An open vault: its files, what the database knows of them, and the one way to change either. */
export interface Vault extends VaultIdentity, StrategyFile {
  readonly files: VaultFiles;
  readonly journal: Journal;
  /** This process keeps the index true to the folder and does the upkeep; others follow what it writes down. */
  readonly isOwner: boolean;
  /** Aborts when the vault is being closed: long work ends after its current step. */
  readonly closing: AbortSignal;
  /** Runs alone on this vault, after whatever a crash left has been finished. */
  alone<T>(work: (hold: Hold) => Promise<T>): Promise<T>;
  /** Takes over what was changed by hand; `catchUp` is for who is alone already. */
  catchUp(hold: Hold): Promise<number>;
  reconcile(): Promise<number>;
  /** The same for a reader, who waits for others only when there is something to take over. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export type VaultOptions = Readonly<{
  db: Database;
  folder: string;
  log: Log;
  /** Watches the folder for edits made by hand. */
  isWatched?: boolean;
  leaseMs?: number;
  checkpoint?(name: string): void;
}>;

export async function openVault({
  db,
  folder,
  log,
  isWatched = true,
  leaseMs,
  checkpoint,
}: VaultOptions): Promise<Vault> {
  const files = await openFiles(folder);
  const vault = await identify(db, files, log);
  const lease = createLease({ db, vault: vault.id, ...(leaseMs !== undefined && { leaseMs }) });

  const { strategy, policy, lastPolicy } = followStrategy(files, log);
  const closing = new AbortController();
  const parts = { db, files, vault, strategy: policy, closing: closing.signal };
  const journal = createJournal({ ...parts, log, ...(checkpoint && { checkpoint }) });

  const assertThere = presenceOf(files);

  const alone = <T>(work: (hold: Hold) => Promise<T>): Promise<T> =>
    lease.run(async (hold) => {
      assertThere();
      await journal.recover(hold);
      return work(hold);
    });

  /** Looks first without the lease: mostly there is nothing to do. */
  const refresh = async (): Promise<void> => {
    assertThere();
    if ((await hasLeftovers(db, vault.id)) || (await findDifferences(parts)).length > 0)
      await alone((hold) => reconcile(parts, hold));
  };

  const follow = async (touched: Touched): Promise<void> => {
    if (closing.signal.aborted) return;
    try {
      if (!touched || (await isChanged(parts, touched))) await refresh();
    } catch (error) {
      if (!closing.signal.aborted)
        log.warn('The vault could not be compared with its index; the next change tries again.', { error });
    }
  };
  const following = createTurns();
  const followSoon = (touched: Touched) => void following.take(() => follow(touched));
  let watch: FolderWatch | undefined;
  const own = (isOwner: boolean): void => {
    watch?.close();
    watch =
      isOwner && isWatched && !closing.signal.aborted ? watchVault(files.root, followSoon, log) : undefined;
  };
  const ownership = await claimOwnership({
    db,
    vault: vault.id,
    log,
    leaseMs,
    onChange(isOwner) {
      log.info(isOwner ? 'The vault is ours now.' : 'The vault belongs to another hub now.', {
        folder: files.root,
      });
      own(isOwner);
      if (isOwner) followSoon(undefined);
    },
  });
  own(ownership.isOwner);

  return {
    ...vault,
    files,
    journal,
    closing: closing.signal,
    get isOwner() {
      return ownership.isOwner;
    },
    alone,
    catchUp: (hold) => reconcile(parts, hold),
    reconcile: () => alone((hold) => reconcile(parts, hold)),
    refresh,
    strategy,
    policy,
    lastPolicy,
    async close() {
      closing.abort();
      own(false);
      await following.settled();
      await lease.close();
      await ownership.close();
    },
  };
}

/** Is there something written down that nobody is working on? */
function hasLeftovers(db: Database, vault: string): Promise<boolean> {
  return db.read(async (q) => {
    const { holder, leaseUntil } = (await vaultById(q, vault))!;
    return (holder === null || leaseUntil <= db.now()) && (await listIntents(q, vault)).length > 0;
  });
}
