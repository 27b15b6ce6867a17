import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { Database } from '../../../store/database.ts';
import { owning, vaultById } from '../rows/vaults.ts';
import { isDead, newProcessName } from './process-name.ts';

/**
 * One owner per vault, by a lease: it alone watches the folder, takes over what people change there and does the upkeep.
 * Everybody else who serves the vault reads the index that the owner keeps, waits for a turn to write (lease.ts), and
 * follows when the owner goes. Test: test/contract/brain-owner.test.ts.
 */
export interface Ownership {
  readonly isOwner: boolean;
  close(): Promise<void>;
}

export type OwnershipOptions = Readonly<{
  db: Database;
  vault: string;
  log: Log;
  leaseMs?: number | undefined;
  /** Told of every change after the first look. */
  onChange(isOwner: boolean): void;
}>;

export async function claimOwnership({
  db,
  vault,
  log,
  leaseMs = 30_000,
  onChange,
}: OwnershipOptions): Promise<Ownership> {
  const owner = newProcessName();
  let renewedAt = 0;
  let isOwner = await look();
  const looks = createTurns();
  const timer = setInterval(() => void looks.take(lookAgain), leaseMs / 10).unref();

  /** Reads before it writes: whoever waits costs the database nothing. */
  async function look(): Promise<boolean> {
    const row = (await db.read((q) => vaultById(q, vault)))!;
    const isFree = row.owner === null || row.owner === owner || row.ownedUntil <= db.now();
    const dead = row.owner !== null && isDead(row.owner) ? row.owner : null;
    if (!isFree && dead === null) return false;
    renewedAt = db.elapsed();
    return db.write(systemActor, (tx) => owning.take(tx, vault, { holder: owner, ms: leaseMs, dead }));
  }

  async function lookAgain(): Promise<void> {
    // Who waits looks often, which is only a read; who owns writes as rarely as the lease allows.
    if (isOwner && db.elapsed() - renewedAt < leaseMs / 3) return;
    try {
      const was = isOwner;
      isOwner = await look();
      if (isOwner !== was) onChange(isOwner);
    } catch (error) {
      log.debug('The lease of the vault could not be looked at; the next look tries again.', { error });
    }
  }

  return {
    get isOwner() {
      return isOwner;
    },
    async close() {
      clearInterval(timer);
      await looks.settled();
      if (!isOwner) return;
      isOwner = false;
      await db
        .write(systemActor, (tx) => owning.free(tx, vault, owner))
        .catch((error: unknown) => log.debug('The lease of the vault is left to run out.', { error }));
    },
  };
}
