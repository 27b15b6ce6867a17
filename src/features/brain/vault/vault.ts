import { createHash } from 'node:crypto';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { ensureScope } from '../../../recall/rows.ts';
import type { Database } from '../../../store/database.ts';
import { insertVault, vaultById } from '../rows/vaults.ts';
import { DEFAULT_STRATEGY, defaultStrategyText, readStrategy, type Strategy } from '../strategy.ts';
import { openFiles, type VaultFiles } from './files.ts';
import { spaceOf, type VaultIdentity } from './indexing.ts';
import { createJournal, type Journal } from './journal.ts';
import { createLease, type Hold } from './lease.ts';
import { findDifferences, isChanged, reconcile } from './reconcile.ts';
import { claimOwnership } from './ownership.ts';
import { type Touched, type Watch, watchVault } from './watch.ts';

/** An open vault: its files, what the database knows of them, and the one way to change either. */
export interface Vault extends VaultIdentity {
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
  reconcile(onProgress?: (done: number, total: number) => void): Promise<number>;
  /** The policy as it stands in STRATEGY.md; throws naming the line when it is wrong. */
  strategy(): Promise<Strategy>;
  /** The same for calls that must go on: the defaults stand in for a broken file. */
  policy(): Promise<Strategy>;
  /** The last answer of `policy`, for units that may not wait for a file. */
  lastPolicy(): Strategy;
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

const STRATEGY = 'STRATEGY.md';
const IDENTITY = '.clawbrain';

export async function openVault({ db, folder, log, isWatched = true, leaseMs, checkpoint }: VaultOptions): Promise<Vault> {
  const files = await openFiles(folder);
  const vault = await identify(db, files, log);
  const lease = createLease({ db, vault: vault.id, ...(leaseMs !== undefined && { leaseMs }) });

  /** Read again only when the file changed: every search asks. */
  let read: Readonly<{ stamp: string | undefined; strategy: Strategy; problem?: HubError }> = {
    stamp: undefined,
    strategy: DEFAULT_STRATEGY,
  };
  async function readAgain(): Promise<typeof read> {
    const stamp = files.stamp(STRATEGY);
    if (stamp === read.stamp) return read;
    try {
      const text = (await files.read(STRATEGY))?.text ?? '';
      read = { stamp, strategy: readStrategy(text) };
    } catch (error) {
      if (!(error instanceof HubError)) throw error;
      log.warn('STRATEGY.md is not usable; the defaults stand in.', { reason: error.message });
      read = { stamp, strategy: DEFAULT_STRATEGY, problem: error };
    }
    return read;
  }

  async function strategy(): Promise<Strategy> {
    const { strategy: valid, problem } = await readAgain();
    if (problem) throw problem;
    return valid;
  }

  const policy = async (): Promise<Strategy> => (await readAgain()).strategy;

  const closing = new AbortController();
  const parts = { db, files, vault, strategy: policy, closing: closing.signal };
  const journal = createJournal({ ...parts, log, ...(checkpoint && { checkpoint }) });

  /** A mount that went away looks like a vault whose every memory was deleted; its missing name tells the difference. */
  const isNamed = files.stamp(IDENTITY) !== undefined;
  function assertThere(): void {
    if (!isNamed || files.stamp(IDENTITY) !== undefined) return;
    throw new HubError('unavailable', `The vault is gone from ${files.root}: ${IDENTITY} is missing.`, {
      hint: 'Put the folder back, or restart the hub to begin a new vault there.',
    });
  }

  const alone = <T>(work: (hold: Hold) => Promise<T>): Promise<T> =>
    lease.run(async (hold) => {
      assertThere();
      await journal.recover(hold);
      return work(hold);
    });

  const follow = async (touched: Touched): Promise<void> => {
    if (closing.signal.aborted) return;
    try {
      assertThere();
      // First without the lease: mostly there is nothing to do.
      if (touched && !(await isChanged(parts, touched))) return;
      if ((await findDifferences(parts)).length > 0) await alone((hold) => reconcile(parts, hold));
    } catch (error) {
      if (!closing.signal.aborted) log.warn('The vault could not be compared with its index; the next change tries again.', { error });
    }
  };
  let following: Promise<void> = Promise.resolve();
  const followSoon = (touched: Touched) => void (following = following.then(() => follow(touched)));
  let watch: Watch | undefined;
  const own = (isOwner: boolean): void => {
    watch?.close();
    watch = isOwner && isWatched && !closing.signal.aborted ? watchVault(files.root, followSoon, log) : undefined;
  };
  const ownership = await claimOwnership({
    db,
    vault: vault.id,
    log,
    leaseMs,
    onChange(isOwner) {
      log.info(isOwner ? 'The vault is ours now.' : 'The vault belongs to another hub now.', { folder: files.root });
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
    reconcile: (onProgress) => alone((hold) => reconcile(parts, hold, onProgress)),
    strategy,
    policy,
    lastPolicy: () => read.strategy,
    async close() {
      closing.abort();
      own(false);
      await following;
      await lease.close();
      await ownership.close();
    },
  };
}

/** The vault carries its own name, so that it keeps its credit when the folder moves. A read-only one is known by where it is. */
async function identify(db: Database, files: VaultFiles, log: Log): Promise<VaultIdentity> {
  const id = (await readIdentity(files)) ?? (await makeIdentity(files, log));
  const known = await db.read((q) => vaultById(q, id));
  if (known) return { id, scope: known.scope_no };
  const scope = await db.write(systemActor, async (tx) => {
    const made = await ensureScope(tx, { space: spaceOf({ id, scope: 0 }), tenant: '', team: '', agent: '' });
    await insertVault(tx, id, made);
    return made;
  });
  return { id, scope };
}

async function readIdentity(files: VaultFiles): Promise<string | undefined> {
  const text = (await files.read(IDENTITY))?.text.trim();
  return text !== undefined && /^[0-9a-f-]{36}$/.test(text) ? text : undefined;
}

async function makeIdentity(files: VaultFiles, log: Log): Promise<string> {
  try {
    await files.create(IDENTITY, `${newId()}\n`);
    if ((await files.read(STRATEGY)) === null) await files.create(STRATEGY, defaultStrategyText());
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    // Another process may have been quicker; then its name counts.
    if (error.code !== 'conflict') log.warn('The vault is read-only: it can be searched and not changed.', { folder: files.root });
  }
  return (await readIdentity(files)) ?? createHash('sha256').update(files.root).digest('hex').slice(0, 32);
}
