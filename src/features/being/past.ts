import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { insertPast, type PastName, trimPast } from './rows/past.ts';

/** Earlier texts of one document. */
const MOST = 100;

/** What is replaced is kept: `search_history` and the list of a Being's earlier documents have it. */
export async function keepPast(
  tx: Tx,
  being: string,
  replaced: PastName & Readonly<{ content: string; location?: string | null }>,
): Promise<void> {
  const { target, name, content, location = null } = replaced;
  await insertPast(tx, being, { id: newId(), target, name, content, location, at: tx.now });
  await trimPast(tx, being, { target, name }, MOST);
}
