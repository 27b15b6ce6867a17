// SQL of the files that were read, and how far.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Owner } from '../owner.ts';
import { files, type StoredFile } from './tables.ts';

export function filesOf(q: Query, { host, owner }: Owner, client: string): Promise<StoredFile[]> {
  return files.list(q, sql`where host = ${host} and owner = ${owner} and client = ${client} order by path`);
}

/**
 * Goes on from where `before` stands, and only from there: whoever read the same slice at the same time loses, so that nothing
 * is counted twice (test/torture/sessions-kill.test.ts). False: somebody else did.
 */
export async function moveFile(tx: Tx, before: StoredFile | undefined, after: StoredFile): Promise<boolean> {
  if (before === undefined) {
    const { host, owner, path } = after;
    const known = await files.find(tx, sql`where host = ${host} and owner = ${owner} and path = ${path}`);
    if (known) return false;
    await files.insert(tx, after);
    return true;
  }
  const moved = await files.update(
    tx,
    after,
    sql`where host = ${before.host} and owner = ${before.owner} and path = ${before.path}
      and position = ${before.position} and identity = ${before.identity} and seen_at = ${before.seenAt}`,
  );
  return moved === 1;
}
