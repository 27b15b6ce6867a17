import { newId } from '../../kernel/ids.ts';
import { insertPast, type PastName, trimPast } from './rows/past.ts';
import type { Held } from './rows/whose.ts';

/** Earlier texts of one document. */
const MOST = 100;

/** What is replaced is kept: `search_history` and the list of a Being's earlier documents have it. */
export async function keepPast(
  self: Held,
  replaced: PastName & Readonly<{ content: string; location?: string | null }>,
): Promise<void> {
  const { target, name, content, location = null } = replaced;
  await insertPast(self, { id: newId(), target, name, content, location, at: self.tx.now });
  await trimPast(self, { target, name }, MOST);
}
