import type { Database } from '../../../store/database.ts';
import { addUsage, type Usage } from '../frames/common.ts';
import { usageOfSession } from '../rows/runs.ts';
import type { Run } from '../run.ts';

/** What the agent's session had used before this run: some agents count from its beginning. */
export async function usageBefore(
  db: Pick<Database, 'read'>,
  { id, sessionId }: Run,
): Promise<Usage | undefined> {
  if (sessionId === null) return undefined;
  const all = await db.read((q) => usageOfSession(q, sessionId, id));
  return all.reduce<Usage | undefined>(
    (sum, each) => (each && sum ? addUsage(sum, each) : (each ?? sum)),
    undefined,
  );
}
