import { sha256 } from '../../../kernel/digest.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { insertVault, vaultById } from '../rows/vaults.ts';
import type { VaultFiles } from './files.ts';
import { recallOf, type VaultIdentity } from './index-documents.ts';
import { startStrategy } from './strategy-file.ts';

const IDENTITY = '.clawbrain';

/** The vault carries its own name, so that it keeps its credit when the folder moves. A read-only one is known by where it is. */
export async function identify(db: Database, files: VaultFiles, log: Log): Promise<VaultIdentity> {
  const id = (await readIdentity(files)) ?? (await makeIdentity(files, log));
  const known = await db.read((q) => vaultById(q, id));
  if (known) return { id, scope: known.scope };
  const scope = await db.write(systemActor, async (tx) => {
    const made = await recallOf({ id, scope: 0 }).scope(tx, { tenant: '', team: '', agent: '' });
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
    await startStrategy(files);
  } catch (error) {
    if (!(error instanceof HubError)) throw error;
    // Another process may have been quicker; then its name counts.
    if (error.code !== 'conflict')
      log.warn('The vault is read-only: it can be searched and not changed.', { folder: files.root });
  }
  return (await readIdentity(files)) ?? sha256(files.root).slice(0, 32);
}

/** Throws once the vault is no longer there. A mount that went away looks like one whose every memory was deleted; its missing name tells the difference. */
export function presenceOf(files: VaultFiles): () => void {
  const isNamed = files.stamp(IDENTITY) !== undefined;
  return () => {
    if (!isNamed || files.stamp(IDENTITY) !== undefined) return;
    throw new HubError('unavailable', `The vault is gone from ${files.root}: ${IDENTITY} is missing.`, {
      hint: 'Put the folder back, or restart the hub to begin a new vault there.',
    });
  };
}
